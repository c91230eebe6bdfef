declare const __NEXTRUN_VERSION__: string | undefined;

/** The version of package.json, put in by the build; a run from source has none. */
export const version = typeof __NEXTRUN_VERSION__ === 'string' ? __NEXTRUN_VERSION__ : '0.0.0-source';

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};
/** Vite puts a hash of the content into these names, so what is under a name never changes. */
const hashedName = /^\/assets\/[^/]+-[\w-]{8}\.\w+$/;
const notBuilt =
  'The page of NextRun is not built. In the folder of NextRun run:\n\n  npm run build\n\nThe API works.\n';

/** Every file below `folder`, by the path it is served under. Links are left out: they may lead outside. */
function listFiles(folder: string, prefix: string, found: Map<string, string>): Map<string, string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) listFiles(path, `${prefix}/${entry.name}`, found);
    else if (entry.isFile()) found.set(`${prefix}/${entry.name}`, path);
  }
  return found;
}

/** The path as a person would write it, or null when no honest link looks like this. */
function decodePath(path: string): string | null {
  try {
    const decoded = decodeURIComponent(path);
    const odd = decoded.includes('\0') || decoded.includes('\\') || !decoded.startsWith('/');
    return odd || decoded.split('/').some((part) => part === '.' || part === '..') ? null : decoded;
  } catch {
    return null;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** The files of the built page; listed again when index.html is a new one. Null while there is none. */
function pageFiles(folder: string): () => Map<string, string> | null {
  let files = new Map<string, string>();
  let builtAt = Number.NaN;
  return () => {
    try {
      const { mtimeMs } = statSync(join(folder, 'index.html'));
      if (mtimeMs !== builtAt) {
        files = listFiles(folder, '', new Map());
        builtAt = mtimeMs;
      }
      return files;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  };
}

/**
 * Serves the built page from `folder`: `page(pathname)` gives the file of that path, index.html for a page route (no
 * dot in its last part), else null. Only files that were found in the folder are ever read, whatever the path says.
 * The answer has a Content-Length, so a HEAD can use its headers alone. While the page is not built, page routes
 * answer 503 with the command that builds it.
 */
export function staticPage(folder: string): (path: string) => Response | null {
  const current = pageFiles(folder);
  return (path) => {
    const wanted = decodePath(path);
    if (wanted === null) return null;
    const isRoute = !wanted.slice(wanted.lastIndexOf('/')).includes('.');
    const files = current();
    if (files === null) return isRoute ? text(notBuilt) : null;
    const name = isRoute ? '/index.html' : wanted;
    const file = files.get(name);
    return file === undefined ? null : answer(name, file);
  };
}

function text(words: string): Response {
  return new Response(words, {
    status: 503,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(words)),
    },
  });
}

function answer(name: string, file: string): Response | null {
  try {
    const content = readFileSync(file);
    return new Response(content, {
      headers: {
        'Content-Type': types[extname(name)] ?? 'application/octet-stream',
        'Content-Length': String(content.byteLength),
        'Cache-Control': hashedName.test(name) ? 'private, max-age=31536000, immutable' : 'no-cache',
      },
    });
  } catch (error) {
    // Built anew just now: the old name is gone.
    if (isMissing(error)) return null;
    throw error;
  }
}

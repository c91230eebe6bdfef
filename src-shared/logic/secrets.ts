const secretName = /TOKEN|KEY|SECRET|PASSWORD|PASSWD|CREDENTIAL/i;
/** Shorter values would mask half of every text they meet. */
const shortest = 6;

/** The values of an environment whose names say that nobody else may see them. */
export function secretValues(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env)
    .filter(([name, value]) => secretName.test(name) && value.length >= shortest)
    .map(([, value]) => value);
}

// What the fake agents have in common: which trick the first word of the prompt (or FAKE_AGENT) asks for, and how
// each is carried out in the words of one agent's stream.

/** The complaints of providers, by HTTP status. */
export const complaints = {
  401: 'API Error: 401 Invalid authentication credentials',
  402: 'API Error: 402 Your credit balance is too low',
  429: 'API Error: 429 Too many requests, rate limit reached',
  404: 'API Error: 404 model: no-such-model not found',
  503: 'API Error: connection refused (ECONNREFUSED)',
};

export const write = (event) =>
  new Promise((resolve) =>
    process.stdout.write(typeof event === 'string' ? event : `${JSON.stringify(event)}\n`, resolve),
  );

/** Never ends by itself, as a program that waits for an answer. */
const wait = () => new Promise(() => setInterval(() => {}, 60_000));

/** The value after a flag, null when it is not there. */
export const option = (...names) => {
  const at = process.argv.findIndex((argument) => names.includes(argument));
  return at === -1 ? null : (process.argv[at + 1] ?? null);
};

async function flood(speak) {
  for (let index = 0; index < 20_000; index += 1) await write(speak.tool(`echo ${index}`));
  for (let index = 0; index < 2000; index += 1) await write(speak.text(`line ${index} ${'x'.repeat(200)}`));
}

/**
 * Runs the agent. `speak` has its events as objects: begin, text, tool, fail(status, words), ask(words), end; a
 * function may give a list of events.
 */
export async function play(name, speak) {
  if (process.argv.includes('--version')) {
    await write(`9.8.7 (fake ${name})\n`);
    return;
  }
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const prompt = Buffer.concat(chunks).toString('utf8');
  const trick = process.env['FAKE_AGENT'] ?? prompt.trim().split(/\s/)[0];
  const tell = async (events) => {
    for (const event of [events].flat()) await write(event);
  };
  if (trick === 'silent') return;
  if (trick === 'plain') return await write('just text, no events\n');
  await tell(speak.begin());
  if (trick === 'nothing') return await tell(speak.end());
  await tell(speak.tool('ls -la'));
  if (complaints[trick] !== undefined) return await tell(speak.fail(Number(trick), complaints[trick]));
  if (trick === 'ask') {
    await tell(speak.text('I need a permission.'));
    await tell(speak.ask('rm -rf build'));
    return await wait();
  }
  if (trick === 'crash') {
    await tell(speak.text('half of the'));
    process.kill(process.pid, 'SIGKILL');
    return await wait();
  }
  if (trick === 'cut') return await tell(speak.text('half of the'));
  if (trick === 'broken')
    await write('{"type":"assistant","mess\nplain words\n{"no":"type"}\n[1,2]\n{"type":"unheard"}\n');
  if (trick === 'flood') await flood(speak);
  const answer = { prompt, argv: process.argv.slice(2) };
  await tell(speak.text(JSON.stringify(answer)));
  await tell(speak.end());
}

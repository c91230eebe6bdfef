// An agent that answers with what it was given: one JSON line { argv, stdin, env, cwd }.
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const answer = {
  argv: process.argv.slice(2),
  stdin: Buffer.concat(chunks).toString('utf8'),
  env: process.env,
  cwd: process.cwd(),
};
process.stdout.write(`${JSON.stringify(answer)}\n`);

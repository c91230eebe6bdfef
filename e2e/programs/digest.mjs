// Answers with the number and the SHA-256 of the bytes on stdin; for prompts too large to send back.
import { createHash } from 'node:crypto';

const hash = createHash('sha256');
let bytes = 0;
for await (const chunk of process.stdin) {
  hash.update(chunk);
  bytes += chunk.length;
}
process.stdout.write(`${bytes} ${hash.digest('hex')}\n`);

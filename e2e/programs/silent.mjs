// silent.mjs [exit code]: reads its prompt and says nothing.
process.stdin.resume();
process.stdin.on('end', () => process.exit(Number(process.argv[2] ?? '0')));

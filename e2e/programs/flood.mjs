// flood.mjs <bytes> [line] [exit code]: writes that many bytes as fast as they are read; `line` = no line break.
const [total = '1000000', shape = 'lines', code = '0'] = process.argv.slice(2);
const block = shape === 'line' ? 'x'.repeat(65_536) : `${'0123456789abcde'.repeat(4)}abc\n`.repeat(1024);

let left = Number(total);
function write() {
  while (left > 0) {
    const piece = left >= block.length ? block : block.slice(0, left);
    left -= piece.length;
    if (!process.stdout.write(piece)) {
      process.stdout.once('drain', write);
      return;
    }
  }
  process.exitCode = Number(code);
}
write();

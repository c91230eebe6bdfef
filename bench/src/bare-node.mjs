/** A bare Node that has opened a database and nothing else: what a host's memory is compared with. */
import Database from 'better-sqlite3';

const db = new Database(process.argv[2]);
db.pragma('journal_mode = WAL');
db.exec('CREATE TABLE IF NOT EXISTS jobs (id INTEGER PRIMARY KEY)');
db.prepare('SELECT count(*) FROM jobs').get();
setInterval(() => undefined, 60_000);
process.stdout.write('ready nothing\n');
process.on('SIGTERM', () => process.exit(0));

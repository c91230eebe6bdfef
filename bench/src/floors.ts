import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';

function openJobs(folder: string) {
  const db = new Database(join(folder, 'floor-server.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec('CREATE TABLE jobs (id INTEGER PRIMARY KEY, due INTEGER NOT NULL, body TEXT NOT NULL)');
  return db;
}

/**
 * The least that accepts a job: node:http, JSON, one synced insert. `GET /events` streams each insert to whoever
 * listens, encoded once.
 */
export function serveFloor(folder: string): void {
  const insert = openJobs(folder).prepare('INSERT INTO jobs (due, body) VALUES (?, ?)');
  const listeners = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(': open\n\n');
      listeners.add(response);
      response.on('close', () => listeners.delete(response));
      return;
    }
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => {
      const body = JSON.parse(text) as { name: string };
      const { lastInsertRowid } = insert.run(Date.now(), JSON.stringify(body));
      response.writeHead(202, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ id: String(lastInsertRowid), status: 'SCHEDULED' }));
      const event = `id: ${lastInsertRowid}\nevent: automation\ndata: ${JSON.stringify({ type: 'automation', row: body })}\n\n`;
      const bytes = Buffer.from(event);
      for (const listener of listeners) listener.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
  process.on('SIGTERM', () => process.exit(0));
}

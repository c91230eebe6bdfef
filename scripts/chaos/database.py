"""The other program of the chaos run: writes rows, holds the lock, and tells what the database contains.

Use: database.py <file> insert <json rows> | hog <seconds> <how> | look <automation ids ...>
"""
import json
import sqlite3
import sys
import time


def insert(file, rows):
    db = sqlite3.connect(file, timeout=3)
    now = int(time.time() * 1000)
    for row in rows:
        row = {"created_at": now, "updated_at": now, "status": "ACTIVE", "prompt": "", **row}
        row["next_run_at"] = now + row.get("next_run_at", 0)
        names = list(row)
        marks = ", ".join("?" * len(names))
        db.execute(f"INSERT INTO automations ({', '.join(names)}) VALUES ({marks})", [row[n] for n in names])
    db.commit()
    print("committed")


def hog(file, seconds, how):
    db = sqlite3.connect(file, timeout=3, isolation_level=None)
    db.execute(f"BEGIN {how}")
    time.sleep(seconds)
    db.execute("COMMIT")


def rows(db, sql):
    cursor = db.execute(sql)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row)) for row in cursor]


def look(file):
    # Read-only: closing it must not copy the write-ahead log into the file, a start shall find what a kill left.
    db = sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10, isolation_level=None)
    db.execute("BEGIN")
    found = {
        "runs": rows(
            db,
            """SELECT thread_id AS id, automation_id, status, reason_code, scheduled_for, trigger, attempt, run_key,
                 retry_of, exclusive, not_before, lease_token, pid, exit_code,
                 json_extract(metadata_json, '$.queuedPosition') AS position
               FROM automation_runs ORDER BY priority DESC, queue_order, queued_at, rowid""",
        ),
        "automations": rows(
            db,
            """SELECT id, name, status, status_reason, next_run_at, deleted_at, attention_code, unchecked,
                 interval_ms, schedule_kind FROM automations""",
        ),
        "slots": rows(
            db,
            """SELECT automation_id, scheduled_for, outcome, run_id, through, count FROM slots
               ORDER BY automation_id, scheduled_for""",
        ),
        "integrity": db.execute("PRAGMA integrity_check").fetchone()[0],
        "now": int(time.time() * 1000),
    }
    db.execute("COMMIT")
    print(json.dumps(found))


file, what, *rest = sys.argv[1:]
if what == "insert":
    insert(file, json.loads(rest[0]))
elif what == "hog":
    hog(file, float(rest[0]), rest[1])
else:
    look(file)

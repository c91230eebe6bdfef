const silencers = [/@ts-ignore\b/, /@ts-nocheck\b/, /\bbiome-ignore(-all|-start|-end)?\b/];
const promise = /\b(TODO|FIXME|XXX)\b/;
const issue = /\bdocs\/[\w./-]+\.md\b/;

/** Complaints about comments: none silences a tool, and a promise names the document that keeps it. */
export function commentComplaints(source, exists) {
  const complaints = [];
  for (const { value, line } of source.comments) {
    const say = (rule, message) => complaints.push({ file: source.file, line, rule, message });
    const silencer = silencers.map((pattern) => pattern.exec(value)).find((match) => match !== null);
    if (silencer !== undefined) say('no-silencer', `${silencer[0]}: mend the cause`);
    const word = promise.exec(value);
    if (word === null) continue;
    const named = issue.exec(value);
    if (named === null || !exists(named[0]))
      say('todo', `${word[0]} without a document of docs/ that describes it`);
  }
  return complaints;
}

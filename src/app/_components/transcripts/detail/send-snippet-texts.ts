export interface SendSnippet {
  way: string;
  label: string;
  note: string;
  text: string;
}

/** `origin` is this server's, such as `http://127.0.0.1:3000`. */
export function sendSnippets(origin: string, { id, wakePhrase }: { id: string; wakePhrase: string }): SendSnippet[] {
  const segment = { text: `${wakePhrase}, what is 2 + 2?`, speaker: "Ana", atMs: 1200 };
  // The API's envelope.
  const body = JSON.stringify({ json: { id, segments: [segment] } });
  const answers = `input=${JSON.stringify({ json: { id, lastEventId: "0" } })}`;
  const send = `curl -sS ${origin}/api/trpc/transcripts.append -H 'content-type: application/json'`;
  return [
    {
      way: "curl",
      label: "Send",
      note: "One or more segments in a request; speaker and atMs (milliseconds from the beginning) are optional.",
      text: `${send} -d ${inShell(body)}`,
    },
    {
      way: "file",
      label: "Follow a file",
      note: "Sends each line that another program appends to a file. Needs jq.",
      text: [
        "tail -n +1 -F talk.txt",
        `jq --unbuffered -Rc '{json: {id: "${id}", segments: [{text: .}]}}'`,
        `while IFS= read -r body; do ${send} -d "$body"; done`,
      ].join(" |\n  "),
    },
    {
      way: "answers",
      label: "Receive answers",
      note: "Answers as server-sent events: the earlier ones first, then each new one.",
      text: `curl -sSNG ${origin}/api/trpc/transcripts.answers --data-urlencode ${inShell(answers)}`,
    },
  ];
}

/** As one word of a POSIX shell. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

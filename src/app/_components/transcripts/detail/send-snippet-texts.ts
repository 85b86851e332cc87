export interface SendSnippet {
  way: string;
  label: string;
  note: string;
  text: string;
}

/** `origin` is this server's, such as `http://127.0.0.1:3000`. */
export function sendSnippets(
  origin: string,
  { id, webSocketPath, wakePhrase }: { id: string; webSocketPath: string; wakePhrase: string },
): SendSnippet[] {
  const socket = `${origin.replace(/^http/, "ws")}${webSocketPath}`;
  const segment = { text: `${wakePhrase}, what is 2 + 2?`, speaker: "Ana", atMs: 1200 };
  // The API's envelope.
  const body = JSON.stringify({ json: { id, segments: [segment] } });
  return [
    {
      way: "curl",
      label: "curl",
      note: "One or more segments in a request; speaker and atMs (milliseconds from the beginning) are optional.",
      text: `curl -sS ${origin}/api/trpc/transcripts.append \\\n  -H 'content-type: application/json' \\\n  -d ${inShell(body)}`,
    },
    {
      way: "wscat",
      label: "wscat",
      note: "Each line that you type is a segment; answers come back as JSON. With ?after=0 the earlier ones come first.",
      text: `npx wscat -c ${inShell(socket)}`,
    },
    {
      way: "javascript",
      label: "JavaScript",
      note: "A message is plain text, one segment, or an array of segments.",
      text: [
        `const socket = new WebSocket(${JSON.stringify(socket)});`,
        `socket.onopen = () => socket.send(JSON.stringify(${JSON.stringify(segment)}));`,
        "socket.onmessage = ({ data }) => console.log(JSON.parse(data)); // accepted, answer or error",
      ].join("\n"),
    },
  ];
}

/** As one word of a POSIX shell. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

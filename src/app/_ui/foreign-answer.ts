import { formatBytes } from "@/lib/format";

/** The largest request that Toolroom takes, as the limits of proxies are written. */
const LARGEST_REQUEST = "24 MiB";

/** An answer that something between the page and Toolroom gave, such as a proxy's page for 413 or 504. */
class ForeignAnswer extends Error {
  override readonly name = "ForeignAnswer";

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export function findForeignAnswer(error: unknown): ForeignAnswer | null {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each.name === "ForeignAnswer") return each as ForeignAnswer;
  }
  return null;
}

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  408: "Request Timeout",
  413: "Content Too Large",
  414: "URI Too Long",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

function explain(status: number, sentBytes: number): string {
  switch (status) {
    case 413:
      return `Its limit is below this request's ${formatBytes(sentBytes)}: raise it to ${LARGEST_REQUEST}`;
    case 504:
    case 408:
      return "Its time limit is shorter than this request, which may still be running: look before you try again";
    case 502:
    case 503:
      return "It got no answer from Toolroom, so this may not have been done: try again once Toolroom is back";
    default:
      return "Toolroom did not send this answer: look into the proxy's log";
  }
}

/** Header values are untrusted: plain characters of a name and a version. */
const readProduct = (headers: Headers): string => /^[\w./ ()-]{1,40}$/.exec(headers.get("server") ?? "")?.[0] ?? "";

/** Toolroom answers its pages' scripts in JSON, or without a body; null for such an answer. */
export function readForeignAnswer(response: Response, sentBytes: number): ForeignAnswer | null {
  const { status, headers } = response;
  const type = headers.get("content-type");
  if (status === 204 || (type !== null && /\bjson\b/.test(type))) return null;
  // Next's own words for an error that it did not expect.
  if (status === 500 && type?.startsWith("text/plain")) return null;
  const product = readProduct(headers);
  const proxy = product === "" ? "A proxy" : `A proxy (${product})`;
  const text = STATUS_TEXTS[status] === undefined ? String(status) : `${status} ${STATUS_TEXTS[status]}`;
  return new ForeignAnswer(
    status,
    `${proxy} between this page and Toolroom answered ${text}. ${explain(status, sentBytes)}.`,
  );
}

const countBytes = (body: unknown): number => (typeof body === "string" ? new Blob([body]).size : 0);

/** @throws ForeignAnswer for an answer that Toolroom did not send */
export const fetchOwn: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const foreign = readForeignAnswer(response, countBytes(init?.body));
  if (foreign === null) return response;
  void response.body?.cancel();
  throw foreign;
};

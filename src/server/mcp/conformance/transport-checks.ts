import { type CheckContext, type Finding, fail, type OwnCheck, overHttp, pass, skip, warn } from "./check";
import type { Answer } from "./exchange";
import {
  buildInitialize,
  buildNotification,
  buildOpening,
  buildRequest,
  describeAnswer,
  getResult,
  type Peer,
  sessionHeaders,
} from "./peer";

/** A name that can belong to no server. */
const FOREIGN_ORIGIN = "https://conformance.invalid";
const UNKNOWN_REVISION = "1999-01-01";
const UNKNOWN_SESSION = "00000000-0000-4000-8000-00000000dead";
/** Shorter ids can be guessed. */
const SAFE_ID_CHARS = 16;

const isServed = (answer: Answer): boolean => answer.status < 300 && getResult(answer) !== null;

/** Runs a check of sessions. */
const withSession = (
  work: (id: string, peer: Peer, context: CheckContext) => Promise<Finding> | Finding,
): OwnCheck["run"] =>
  overHttp((peer, context) =>
    peer.session.id === null ? skip("The server gives out no session ids") : work(peer.session.id, peer, context),
  );

export const TRANSPORT_CHECKS: readonly OwnCheck[] = [
  {
    id: "transport/media-type",
    group: "transport",
    title: "A request is answered with JSON or an event stream",
    run: overHttp(async ({ session }, { exchange }) => {
      const answer = await exchange.send(buildOpening(session.kind));
      const type = answer.headers.get("content-type") ?? "";
      return /^(?:application\/json|text\/event-stream)\b/i.test(type)
        ? pass
        : fail(`The Content-Type is '${type}': use application/json or text/event-stream`);
    }),
  },
  {
    id: "transport/notification",
    group: "transport",
    title: "A notification is accepted with 202 and no body",
    run: overHttp(async ({ session }, { exchange }) => {
      if (session.kind === "stateless") return skip("Clients of this revision send no notifications");
      const answer = await exchange.send(buildNotification(session, "notifications/initialized"));
      if (answer.status === 202 && answer.text.trim() === "") return pass;
      return answer.status === 202 ? fail("202 came with a body") : fail(`Answered with ${describeAnswer(answer)}`);
    }),
  },
  {
    id: "transport/origin",
    group: "transport",
    title: "A request from another web page's origin is refused with 403",
    run: overHttp(async ({ session }, { exchange, isLocal }) => {
      const opening = buildOpening(session.kind);
      const answer = await exchange.send({ ...opening, headers: { ...opening.headers, origin: FOREIGN_ORIGIN } });
      if (answer.status === 403) return pass;
      if (!isServed(answer)) return warn(`Refused with ${describeAnswer(answer)}: use 403`);
      const message = `The Origin ${FOREIGN_ORIGIN} was served: check the header against a list`;
      // Browsers cannot be led to a public server that they could not reach anyway.
      return isLocal ? fail(`${message}, since any web page can reach a local server (DNS rebinding)`) : warn(message);
    }),
  },
  {
    id: "transport/protocol-version",
    group: "transport",
    title: "An unknown MCP-Protocol-Version is refused with 400",
    run: overHttp(async ({ session }, { exchange }) => {
      const request = buildRequest(session, "tools/list");
      const headers = { ...request.headers, "mcp-protocol-version": UNKNOWN_REVISION };
      const answer = await exchange.send({ ...request, headers });
      return answer.status === 400 ? pass : fail(`${UNKNOWN_REVISION} was answered with ${describeAnswer(answer)}`);
    }),
  },
  {
    id: "transport/get-stream",
    group: "transport",
    title: "GET opens an event stream or is refused with 405",
    run: overHttp(async ({ session }, { exchange }) => {
      const headers = { accept: "text/event-stream", ...sessionHeaders(session) };
      const answer = await exchange.send({ method: "GET", headers });
      const type = answer.headers.get("content-type") ?? "";
      if (answer.status === 405 || (answer.status === 200 && /^text\/event-stream\b/i.test(type))) return pass;
      return fail(`GET was answered with HTTP ${answer.status}${type === "" ? "" : ` and ${type}`}`);
    }),
  },
  {
    id: "transport/session-id",
    group: "transport",
    title: "Session ids are unique, long enough and of visible characters",
    run: withSession(async (id, _, { exchange }) => {
      if (!/^[\x21-\x7e]+$/.test(id)) return fail("The id has characters outside of 0x21 to 0x7E");
      const other = (await exchange.send(buildInitialize())).headers.get("mcp-session-id");
      if (other === id) return fail("Two clients got the same session id");
      return id.length < SAFE_ID_CHARS ? warn(`The id has ${id.length} characters: use a random UUID`) : pass;
    }),
  },
  {
    id: "transport/session-missing",
    group: "transport",
    title: "A request without its session id is refused with 400",
    run: withSession(async (_, { session, revisions }, { exchange }) => {
      if (revisions.length > 1) return skip("The server also serves requests without sessions");
      const answer = await exchange.send(buildRequest({ ...session, id: null }, "tools/list"));
      if (answer.status === 400) return pass;
      return isServed(answer)
        ? warn("The request was served")
        : warn(`Refused with ${describeAnswer(answer)}: use 400`);
    }),
  },
  {
    id: "transport/session-unknown",
    group: "transport",
    title: "An unknown session is refused with 404",
    run: withSession(async (_, { session }, { exchange }) => {
      const answer = await exchange.send(buildRequest({ ...session, id: UNKNOWN_SESSION }, "tools/list"));
      if (answer.status === 404) return pass;
      const hint = "clients start a new session at 404 only";
      return isServed(answer)
        ? fail(`The request was served: ${hint}`)
        : fail(`Refused with ${describeAnswer(answer)}: ${hint}`);
    }),
  },
];

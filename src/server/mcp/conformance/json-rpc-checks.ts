import { type Finding, fail, type OwnCheck, overHttp, pass, skip, warn, withPeer } from "./check";
import type { Answer } from "./exchange";
import {
  buildInitialize,
  buildRequest,
  describeAnswer,
  getErrorCode,
  getResult,
  type Peer,
  STATELESS_REVISION,
  sessionHeaders,
} from "./peer";

const PARSE_ERROR = -32_700;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const UNKNOWN_METHOD = "conformance/unknown-method";
const UNKNOWN_REVISION = "1999-01-01";
const TEXT_ID = "conformance-1";

function expectCode(answer: Answer, code: number): Finding {
  const received = getErrorCode(answer);
  if (received === code) return pass;
  return fail(`Answered with ${describeAnswer(answer)}: use the error ${code}`);
}

/** A request whose required parameter is missing, so that nothing can run. */
function chooseIncomplete({ tools, prompts, resources }: Peer): string | null {
  if (tools.length > 0) return "tools/call";
  if (prompts.length > 0) return "prompts/get";
  return resources.length > 0 ? "resources/read" : null;
}

export const JSON_RPC_CHECKS: readonly OwnCheck[] = [
  {
    id: "json-rpc/response-id",
    group: "json-rpc",
    title: "A response has the id of its request, also where that is a text",
    run: withPeer(async ({ session }, { exchange }) => {
      const request = buildRequest(session, session.kind === "session" ? "ping" : "server/discover", {}, TEXT_ID);
      // The response is recognized by its request here, not by its id.
      const { message } = await exchange.send({ headers: request.headers, body: request.body });
      if (message === null) return fail("There was no JSON-RPC response");
      return message.id === TEXT_ID
        ? pass
        : fail(`The id ${JSON.stringify(TEXT_ID)} came back as ${formatId(message.id)}`);
    }),
  },
  {
    id: "json-rpc/version-negotiation",
    group: "json-rpc",
    title: "An unknown revision of the protocol is answered with a known one",
    run: withPeer(async ({ session }, { exchange }) => {
      if (session.kind === "stateless") return skip("The server knows no 'initialize'");
      const answer = await exchange.send(buildInitialize(UNKNOWN_REVISION));
      const version = getResult(answer)?.protocolVersion;
      if (version === UNKNOWN_REVISION) return fail(`The server agreed to the revision ${UNKNOWN_REVISION}`);
      if (typeof version === "string" || getErrorCode(answer) === INVALID_PARAMS) return pass;
      return fail(`Answered with ${describeAnswer(answer)}: answer with a revision that the server speaks`);
    }),
  },
  {
    id: "json-rpc/unknown-method",
    group: "json-rpc",
    title: `An unknown method is answered with ${METHOD_NOT_FOUND}`,
    run: withPeer(async ({ session }, { exchange }) =>
      expectCode(await exchange.send(buildRequest(session, UNKNOWN_METHOD)), METHOD_NOT_FOUND),
    ),
  },
  {
    id: "json-rpc/invalid-params",
    group: "json-rpc",
    title: `A call without its required parameter is answered with ${INVALID_PARAMS}`,
    run: withPeer(async (peer, { exchange }) => {
      const method = chooseIncomplete(peer);
      if (method === null) return skip("The server lists no tools, prompts or resources");
      const answer = await exchange.send(buildRequest(peer.session, method));
      if (getResult(answer) !== null) return fail(`'${method}' without its parameter was answered with a result`);
      const finding = expectCode(answer, INVALID_PARAMS);
      // A stateless server compares the parameter with its header first.
      const isRefused = peer.session.revision === STATELESS_REVISION && answer.status === 400;
      return isRefused && finding.outcome === "failed" ? warn(finding.message ?? "") : finding;
    }),
  },
  {
    id: "json-rpc/parse-error",
    group: "json-rpc",
    title: `A body that is no JSON is refused with 400 and ${PARSE_ERROR}`,
    run: overHttp(async ({ session }, { exchange }) => {
      const { headers } = buildRequest(session, "tools/list");
      const answer = await exchange.send({ headers: { ...headers, ...sessionHeaders(session) }, body: '{"jsonrpc":' });
      if (answer.status < 400 || answer.status >= 500) return fail(`Answered with ${describeAnswer(answer)}: use 400`);
      return getErrorCode(answer) === PARSE_ERROR
        ? pass
        : warn(`Refused with ${describeAnswer(answer)}: clients expect the error ${PARSE_ERROR}`);
    }),
  },
];

const formatId = (id: unknown): string => (id === undefined ? "none" : JSON.stringify(id).slice(0, 60));

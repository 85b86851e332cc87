import { lookup } from "node:dns";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { type AddressPolicy, LOCAL_ADDRESSES } from "./address-policy";

/** Kept-alive connections, each opened to an address that the policy allows. */
export interface OutgoingAgents {
  "http:": http.Agent;
  "https:": https.Agent;
}

/**
 * Shorter than the idle timeout of common servers (Node: 5 s): a request that is sent while the server closes the
 * connection cannot be distinguished from a call that ran.
 */
const IDLE_MS = 2000;

export function createOutgoingAgents(policy: AddressPolicy = LOCAL_ADDRESSES): OutgoingAgents {
  const options = { keepAlive: true, lookup: createLookup(policy) };
  return {
    "http:": checkLiterals(limitIdleTime(new http.Agent(options)), policy),
    "https:": checkLiterals(limitIdleTime(new https.Agent(options)), policy),
  };
}

/** Resolves to allowed addresses only; the socket connects to these and does not look the name up again. */
function createLookup(policy: AddressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const allowed = found.filter(({ address }) => policy.findRefusal(address, hostname) === null);
      const [first] = allowed;
      if (first === undefined) return callback(policy.findRefusal(found[0]?.address ?? hostname, hostname), []);
      if (options.all) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };
}

/** Node looks up names only: an IP address in a URL is checked where the socket is made. */
function checkLiterals<Kind extends http.Agent>(agent: Kind, policy: AddressPolicy): Kind {
  type Connect = (options: { host?: string }, callback: (error: Error | null) => void) => unknown;
  const made = agent as unknown as { createConnection: Connect };
  const connect = made.createConnection.bind(agent);
  made.createConnection = (options, callback) => {
    const host = options.host ?? "";
    const refusal = isIP(host) === 0 ? null : policy.findRefusal(host, host);
    if (refusal === null) return connect(options, callback);
    callback(refusal);
    return undefined;
  };
  return agent;
}

/** Makes an agent close idle sockets after `IDLE_MS`. */
function limitIdleTime<Kind extends http.Agent>(agent: Kind): Kind {
  const keep = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  agent.keepSocketAlive = (socket) => {
    const kept = keep(socket) as unknown;
    if (kept !== false) (socket as { setTimeout?(ms: number): void }).setTimeout?.(IDLE_MS);
    return kept as ReturnType<typeof keep>;
  };
  agent.reuseSocket = (socket, request) => {
    (socket as { setTimeout?(ms: number): void }).setTimeout?.(0);
    reuse(socket, request);
  };
  return agent;
}

import {
  type ConformanceCheck,
  type ConformanceVersions,
  MAX_CONFORMANCE_CHECKS,
  MAX_CONFORMANCE_MESSAGE_CHARS,
} from "../../../lib/contract/conformance";
import type { ConformanceParts } from "../../../lib/contract/conformance-outcome";
import { stripControlCharacters } from "../../../lib/strip-control-characters";
import type { ConnectionSettings } from "../../engine/mcp-ports";
import { type CheckContext, type OwnCheck, runCheck } from "./check";
import { type Answer, createExchange, type Exchange } from "./exchange";
import { JSON_RPC_CHECKS } from "./json-rpc-checks";
import { OAUTH_CHECKS } from "./oauth-checks";
import { discover, NO_DISCOVERY } from "./oauth-discovery";
import { planScenarios, runPlanned } from "./official/official-checks";
import { requireSuite, type SuitePlace } from "./official/suite-files";
import { openTarget, type Target, type TargetPorts } from "./open-target";
import { buildOpening, getResult, type Meeting, meetPeer } from "./peer";
import { TRANSPORT_CHECKS } from "./transport-checks";

export interface ConformanceRequest {
  settings: ConnectionSettings;
  parts: ConformanceParts;
  signal: AbortSignal;
  /** What is done now, for users who wait. */
  onStep: (step: string) => void;
}

export interface ConformanceReport {
  checks: ConformanceCheck[];
  versions: Omit<ConformanceVersions, "toolroom">;
}

export interface ConformancePorts extends TargetPorts {
  suite: SuitePlace;
}

/** Toolroom's own checks, which need no tools of a fixed name. */
export const OWN_CHECKS: readonly OwnCheck[] = [...TRANSPORT_CHECKS, ...JSON_RPC_CHECKS, ...OAUTH_CHECKS];

const MAX_TITLE_CHARS = 200;
const MAX_ID_CHARS = 160;

/**
 * Tests a server from outside with connections of its own, and calls none of its tools but those of the official suite.
 * @throws Error for settings that cannot be used, and where the official suite cannot run
 */
export async function runConformance(request: ConformanceRequest, ports: ConformancePorts): Promise<ConformanceReport> {
  const { settings, signal } = request;
  const target = await openTarget(settings, ports, signal);
  const exchange = createExchange({ ...target, addresses: ports.addresses, signal });
  try {
    return await testTarget(request, ports, { target, exchange });
  } finally {
    await exchange.close();
    await target.close();
  }
}

interface Opened {
  target: Target;
  exchange: Exchange;
}

async function testTarget(
  { parts, signal, onStep }: ConformanceRequest,
  { suite: place }: ConformancePorts,
  { target, exchange }: Opened,
): Promise<ConformanceReport> {
  onStep("Introducing itself to the server");
  const context = await createContext(exchange, target);
  signal.throwIfAborted();
  const checks: ConformanceCheck[] = [];
  const add = (check: ConformanceCheck): void => {
    if (checks.length < MAX_CONFORMANCE_CHECKS) checks.push(cutCheck(check, target.redact));
  };
  if (parts !== "suite") {
    for (const check of OWN_CHECKS) {
      onStep(check.title);
      add(await runCheck(check, context, signal));
    }
  }
  let suite: string | null = null;
  if (parts !== "own") suite = await runOfficial({ context, place, target, signal, onStep, add });
  const { peer } = context;
  const versions = { suite, protocol: peer?.revisions ?? [], server: peer?.introduction ?? null };
  return { checks, versions: { ...versions, server: versions.server && target.redact(versions.server) } };
}

async function createContext(exchange: Exchange, target: Target): Promise<CheckContext> {
  let met = await meetPeer(exchange);
  if (met.peer === null && met.refusal?.status === 401) {
    await target.renew();
    met = await meetPeer(exchange);
  }
  const { peer } = met;
  const kind = peer?.session.kind ?? "session";
  // A program knows its user.
  const isRemote = target.transport === "http";
  const opening = { ...buildOpening(kind), signed: false };
  const anonymous = isRemote ? await exchange.send(opening).catch(() => null) : null;
  const demandsToken = isRefused(anonymous, met);
  const discovery = anonymous !== null && demandsToken ? await discover(exchange, anonymous) : NO_DISCOVERY;
  const { server, issuer } = discovery;
  const { requestForeignToken: request } = target;
  return {
    exchange,
    transport: target.transport,
    isLocal: target.isLocal,
    peer,
    noPeer: met.peer === null ? explainRefusal(met, target.lastOutput()) : "",
    anonymous,
    demandsToken,
    discovery,
    requestForeignToken: request && server && issuer ? () => request(server, issuer) : null,
  };
}

/** A server that serves the credentials alone, or says itself that it wants some. */
function isRefused(anonymous: Answer | null, { peer }: Meeting): boolean {
  if (anonymous === null) return false;
  if (peer !== null) return getResult(anonymous) === null;
  return anonymous.status === 401 || anonymous.status === 403;
}

function explainRefusal({ reason, refusal }: Extract<Meeting, { peer: null }>, output: string | null): string {
  if (refusal?.status !== 401) return output === null ? reason : `${reason}. It printed: ${output}`;
  return "it wants a token. Sign in on the server's page, or give a header with it";
}

interface OfficialParts extends Pick<ConformanceRequest, "signal" | "onStep"> {
  context: CheckContext;
  place: SuitePlace;
  target: Target;
  add: (check: ConformanceCheck) => void;
}

/** @returns the version of the suite; null where the server could not be tested */
async function runOfficial({ context, place, target, signal, onStep, add }: OfficialParts): Promise<string | null> {
  const { peer, noPeer, transport, isLocal, demandsToken } = context;
  if (peer === null) {
    const message = `The server could not be tested: ${noPeer}`;
    add({ id: "suite", group: "suite", title: "The official suite", outcome: "skipped", message });
    return null;
  }
  onStep("Preparing the official suite");
  const suite = await requireSuite(place, signal);
  const program = { suite, place, signal };
  const isPlain = isLocal && target.url.protocol === "http:";
  const planned = await planScenarios(program, { peer, transport, isLocal: isPlain, demandsToken });
  const address = await target.openSuiteAddress();
  try {
    for (const scenario of planned) {
      if (scenario.skipped === null) onStep(`Official suite: ${scenario.name}`);
      for (const check of await runPlanned(program, scenario, address.url)) add(check);
    }
  } finally {
    await address.close();
  }
  return suite.version;
}

/** Texts of the server and of the suite are cut, and show no secret. */
function cutCheck(check: ConformanceCheck, redact: (text: string) => string): ConformanceCheck {
  const cut = (text: string, chars: number): string => stripControlCharacters(redact(text)).trim().slice(0, chars);
  return {
    ...check,
    id: cut(check.id, MAX_ID_CHARS),
    title: cut(check.title, MAX_TITLE_CHARS),
    message: check.message === null ? null : cut(check.message, MAX_CONFORMANCE_MESSAGE_CHARS),
  };
}

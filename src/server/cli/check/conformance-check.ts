import { writeFileSync } from "node:fs";
import path from "node:path";
import { serverFile } from "../../../../scripts/running-server.mjs";
import { compareChecks, countOutcomes } from "../../../lib/conformance/compare-checks";
import type { ConformanceRunDetail } from "../../../lib/contract/conformance";
import { CONFORMANCE_PARTS, type ConformanceParts } from "../../../lib/contract/conformance-outcome";
import { getMessage } from "../../../lib/get-message";
import { PLATFORM } from "../../../lib/platform";
import { toSystemVariables } from "../../platform/shared/system-variables";
import { openApi } from "../api-client";
import { CommandError, EXIT, isCommandError, usageError } from "../command-error";
import type { CommandIo } from "../command-io";
import type { ServerOptions } from "../define-command";
import { readDatabaseUrl } from "../find-address";
import { askPatiently } from "../lost-answer";
import { write } from "../output";
import { createTextMask, readCandidate } from "./candidate-settings";
import { type ConformanceResult, formatConformance } from "./conformance-report";
import type { ReportFormat } from "./format-report";

export const CONFORMANCE_FAILS = ["new", "any", "never"] as const;
export type ConformanceFail = (typeof CONFORMANCE_FAILS)[number];

export interface ConformanceOptions extends ServerOptions {
  /** The name of a server of a Toolroom, or an address. */
  conformance: string;
  only?: string;
  suite?: string;
  header?: string[];
  format: ReportFormat;
  failOn: ConformanceFail;
  reports: readonly { format: ReportFormat; file: string }[];
  timeoutMs: number;
}

/** How long a request may wait for the end of a run. */
const WAIT_MS = 10_000;
const CANCEL_LIMIT_MS = 3_000;
const TOO_LONG = "The checks took longer than --timeout allows.";

/** Tests a server of a Toolroom there, and an address from here. Exits with 1 where a check fails. */
export async function checkConformance(options: ConformanceOptions, io: CommandIo): Promise<void> {
  const parts = readParts(options.only);
  const isAddress = /^https?:\/\//i.test(options.conformance);
  if (!isAddress && (options.suite !== undefined || options.header !== undefined)) {
    throw usageError("--suite and --header are for an address: a Toolroom has its own suite and the server's headers.");
  }
  const run = isAddress ? await testAddress(options, parts, io) : await testServer(options, parts, io);
  if (run.status !== "finished") {
    throw new CommandError(EXIT.failed, `The checks did not end: ${run.error ?? run.status}`);
  }
  const counted = options.failOn === "any" ? run.counts.failed : (run.comparison?.newFailures.length ?? 0);
  const hasFailed = options.failOn !== "never" && counted > 0;
  const result: ConformanceResult = { run, hasFailed };
  for (const { format, file } of options.reports) {
    try {
      writeFileSync(path.resolve(io.cwd, file), formatConformance(format, result, io));
    } catch (error) {
      throw usageError(`The report ${file} could not be written: ${getMessage(error)}`);
    }
  }
  await write(io.stdout, formatConformance(options.json ? "json" : options.format, result, io));
  if (hasFailed) throw new CommandError(EXIT.failed, "");
}

function readParts(only = "all"): ConformanceParts {
  const found = CONFORMANCE_PARTS.find((each) => each === only);
  if (found !== undefined) return found;
  throw usageError(`--only must be one of ${CONFORMANCE_PARTS.join(", ")}.`);
}

/** Starts the run at a Toolroom and waits for its end; Ctrl+C and the time limit cancel it. */
async function testServer(
  options: ConformanceOptions,
  parts: ConformanceParts,
  io: CommandIo,
): Promise<ConformanceRunDetail> {
  const api = await openApi(options, io);
  const until = performance.now() + options.timeoutMs;
  const start = `/servers/${encodeURIComponent(options.conformance)}/conformance`;
  let run = await api.send<ConformanceRunDetail>("POST", start, { parts });
  const target = `/conformance-runs/${encodeURIComponent(run.id)}`;
  try {
    while (run.status === "running") {
      const waitMs = Math.min(WAIT_MS, until - performance.now());
      if (waitMs <= 0) throw new CommandError(EXIT.unreachable, TOO_LONG, "Set --timeout.");
      const query = { waitMs: Math.ceil(waitMs) };
      run = await askPatiently(() => api.get<ConformanceRunDetail>(target, query), io);
    }
    return run;
  } catch (error) {
    const cancelling = api.sendText("POST", `${target}/cancel`, "{}", AbortSignal.timeout(CANCEL_LIMIT_MS)).then(
      () => write(io.stderr, `Cancelled ${run.id}.\n`),
      () => write(io.stderr, `${run.id} may go on: cancel it on the server's page.\n`),
    );
    io.holdExit(cancelling);
    await cancelling;
    throw error;
  }
}

/** From this machine, without a Toolroom. There is no run before it: every failure is new. */
async function testAddress(
  options: ConformanceOptions,
  parts: ConformanceParts,
  io: CommandIo,
): Promise<ConformanceRunDetail> {
  const { settings, secrets } = readCandidate(
    { candidate: options.conformance, ...(options.header && { header: options.header }) },
    [],
    options.timeoutMs,
    io,
  );
  const mask = createTextMask(secrets);
  const { runConformance } = await import("../../mcp/conformance/run-conformance");
  const startedAt = Date.now();
  const limit = AbortSignal.timeout(options.timeoutMs);
  try {
    const signal = AbortSignal.any([io.signal, limit]);
    const ports = await createPorts(options, parts, io);
    const { checks, versions } = await runConformance({ settings, parts, signal, onStep: () => undefined }, ports);
    const masked = checks.map((check) => ({ ...check, message: check.message && mask(check.message) }));
    const counts = countOutcomes(masked);
    const comparison = compareChecks(null, masked);
    return {
      id: "local",
      server: mask(options.conformance),
      parts,
      status: "finished",
      actor: { id: "local", name: "local" },
      startedAt,
      finishedAt: Date.now(),
      step: null,
      error: null,
      versions: { toolroom: io.version, ...versions },
      counts,
      newFailures: comparison.newFailures.length,
      checks: masked,
      comparison,
    };
  } catch (error) {
    io.signal.throwIfAborted();
    if (limit.aborted) throw new CommandError(EXIT.unreachable, TOO_LONG, "Set --timeout.");
    if (isCommandError(error)) throw error;
    throw new CommandError(EXIT.unreachable, mask(getMessage(error)));
  }
}

/** @throws CommandError where the official suite cannot run here */
async function createPorts(options: ConformanceOptions, parts: ConformanceParts, io: CommandIo) {
  const { describeSuite, NODE_SETTING, SUITE_SETTING } = await import("../../mcp/conformance/official/suite-files");
  const { LOCAL_ADDRESSES } = await import("../../platform/outgoing/address-policy");
  const inFolder = (text: string | undefined): string | null => (text ? path.resolve(io.cwd, text) : null);
  const data = path.dirname(serverFile(io.rootDir, readDatabaseUrl(options, io)));
  const suite = {
    folder: path.join(data, "conformance"),
    given: inFolder(options.suite ?? io.env[SUITE_SETTING]),
    node: inFolder(io.env[NODE_SETTING]),
    variables: toSystemVariables(io.env, PLATFORM),
  };
  const { state, reason } = describeSuite(suite);
  if (parts !== "own" && state === "unsupported") {
    throw usageError(`${reason}.`, "Toolroom's own checks run with --only own.");
  }
  return {
    suite,
    variables: suite.variables,
    rootDir: io.cwd,
    home: io.home,
    getFolder: () => io.cwd,
    addresses: LOCAL_ADDRESSES,
    credentials: { read: async () => null, write: async () => undefined },
  };
}

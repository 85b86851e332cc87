import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ERROR_KIND_LABELS } from "@/app/_components/executions/summary/execution-labels";
import { ReplayButton } from "@/app/_components/executions/summary/replay-button";
import { namesRedirect, RedirectAddress } from "@/app/_components/servers/summary/redirect-address";
import { toServerPath } from "@/app/_components/servers/summary/server-words";
import { useLiveServers } from "@/app/_components/servers/summary/use-live-servers";
import { useSignIn } from "@/app/_components/servers/summary/use-sign-in";
import { trpc } from "@/app/_trpc/client";
import { Button, ButtonLink } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import type { Fault, FiredLimit } from "@/lib/contract/envelope";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { readMember } from "@/lib/contract/json";
import { findLimitKey } from "@/lib/contract/limit-keys";
import { formatBytes, formatCount, formatDuration } from "@/lib/format";

const LIMIT_NAMES: Record<FiredLimit["name"], string> = {
  timeout: "Time limit",
  max_stored_bytes: "Max stored result",
  max_model_chars: "Model view limit",
  argument_size: "Arguments size limit",
  validation_time: "Validation timeout",
};

/** Why a call did not succeed, and what to do about it. */
export function FailureView({ execution }: { execution: ExecutionDetail }) {
  const { error, errorKind, faults, limit, definition, serverName } = execution;
  const required = errorKind === "invalid_arguments" ? requiredParameters(definition) : [];
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-1 border-bad border-l-2 pl-3">
        {errorKind && <p className="font-medium text-bad text-xs">{ERROR_KIND_LABELS[errorKind]}</p>}
        <p className="whitespace-pre-wrap font-mono text-sm [overflow-wrap:anywhere]">{error ?? "No reason given."}</p>
      </div>
      {errorKind === "sign_in_needed" && serverName !== null && (
        <SignInOffer server={serverName} executionId={execution.id} />
      )}
      {limit && <FiredLimitView execution={execution} />}
      {faults.length > 0 && <FaultList faults={faults} />}
      {required.length > 0 && <RequiredList parameters={required} />}
    </div>
  );
}

export function FiredLimitView({ execution }: { execution: ExecutionDetail }) {
  if (!execution.limit) return null;
  const facts = describeLimit(execution.limit);
  return (
    <Block title="Limit reached">
      <p className="font-mono text-xs">{facts.what}</p>
      <p className="text-mute text-xs">
        {facts.setBy} {facts.change}{" "}
        <Link href="/settings/installation#limits-in-force" className="text-accent underline">
          Limits in force
        </Link>
      </p>
    </Block>
  );
}

function FaultList({ faults }: { faults: readonly Fault[] }) {
  return (
    <Block title={faults.length === 1 ? "Problems" : `Problems (${faults.length})`}>
      <ul className="flex flex-col gap-0.5 text-xs">
        {faults.map((fault) => (
          <li key={`${fault.pointer} ${fault.keyword} ${fault.message}`} className="[overflow-wrap:anywhere]">
            <span className="font-mono text-key">{fault.path === "" ? "the whole payload" : fault.path}</span>{" "}
            {fault.message}
          </li>
        ))}
      </ul>
    </Block>
  );
}

function RequiredList({ parameters }: { parameters: readonly RequiredParameter[] }) {
  return (
    <Block title="Required parameters">
      <ul className="flex flex-col gap-0.5 text-xs">
        {parameters.map((parameter) => (
          <li key={parameter.name} className="[overflow-wrap:anywhere]">
            <span className="font-mono">{parameter.name}</span>{" "}
            <span className="font-mono text-2xs text-faint">{parameter.type}</span>{" "}
            {parameter.description !== null && <bdi className="text-mute">{parameter.description}</bdi>}
          </li>
        ))}
      </ul>
    </Block>
  );
}

function Block({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <h3 className="font-medium text-xs">{title}</h3>
      {children}
    </div>
  );
}

interface LimitFacts {
  /** The name of the limit, and its value. */
  what: string;
  setBy: string;
  /** How to set another limit. */
  change: string;
}

export function describeLimit(limit: FiredLimit): LimitFacts {
  const key = findLimitKey(limit.name);
  const inDefinition = key === undefined ? null : `“${key}” in the tool's definition`;
  const what = `${LIMIT_NAMES[limit.name]}: ${limitValue(limit)}`;
  if (limit.setBy === "call") {
    return { what, setBy: "Set by the caller.", change: "Set a higher limit, or none, on the next call." };
  }
  if (limit.setBy === "tool") {
    return {
      what,
      setBy: `Set by ${inDefinition ?? "the tool's definition"}.`,
      change: "Change it in the definition.",
    };
  }
  return {
    what,
    setBy: "The server's limit for every tool.",
    change: inDefinition
      ? `Set ${inDefinition}, or the server's limit in the configuration.`
      : "Send less, or change the server's limit in the configuration.",
  };
}

function limitValue(limit: FiredLimit): string {
  if (limit.unit === "ms") return formatDuration(limit.value);
  return limit.unit === "bytes" ? formatBytes(limit.value) : `${formatCount(limit.value)} ${limit.unit}`;
}

interface RequiredParameter {
  name: string;
  type: string;
  description: string | null;
}

/** Lists the parameters that the schema of that time required, so that the call can be corrected here. */
export function requiredParameters(definition: ExecutionDetail["definition"]): RequiredParameter[] {
  const required = readMember(definition?.parameters, "required");
  const properties = readMember(definition?.parameters, "properties");
  if (!Array.isArray(required)) return [];
  return required
    .filter((name) => typeof name === "string")
    .map((name) => {
      const property = readMember(properties, name);
      const type = readMember(property, "type");
      const description = readMember(property, "description");
      return {
        name,
        type: typeof type === "string" ? type : Array.isArray(type) ? type.join(" | ") : "any",
        description: typeof description === "string" ? description : null,
      };
    });
}

interface SignInOfferProps {
  /** The MCP server that demanded the sign-in. */
  server: string;
  executionId: string;
}

/** Lets a user sign in to the server and come back to the failed call, and replay it once they have. */
function SignInOffer({ server, executionId }: SignInOfferProps) {
  useLiveServers();
  const { data } = useQuery(trpc.servers.get.queryOptions({ name: server }));
  const [problem, setProblem] = useState<string | null>(null);
  const signIn = useSignIn(setProblem);
  // The server may have been deleted or renamed since.
  if (!data) return null;
  if (data.credentials === "personal") return <ConnectOffer server={server} executionId={executionId} />;
  const opening = signIn.pendingName !== null;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-mute text-xs">
        {data.state.status === "sign_in_needed"
          ? `This call did not run. Sign in to ${server}, then replay it.`
          : `No sign-in to ${server} is required anymore. Replay this call.`}
      </p>
      <div className="flex flex-wrap gap-2">
        {data.state.status === "sign_in_needed" ? (
          <Button
            needs="edit"
            variant="primary"
            disabled={opening}
            onClick={() => signIn.start(server, `/executions/${executionId}`)}
          >
            {opening ? "Opening…" : "Sign in"}
          </Button>
        ) : (
          <ReplayButton executionId={executionId} label="Replay this call" />
        )}
        <ButtonLink href={toServerPath(server)}>Open server</ButtonLink>
      </div>
      {problem !== null && (
        <p role="alert" className="text-bad text-xs [overflow-wrap:anywhere]">
          {problem}
        </p>
      )}
      {namesRedirect(problem) && <RedirectAddress />}
    </div>
  );
}

/** For a server with personal credentials: the caller's own is missing. */
function ConnectOffer({ server, executionId }: SignInOfferProps) {
  const { data: own } = useQuery(trpc.credentials.own.queryOptions({ name: server }));
  if (!own) return null;
  const connected = own.connectedAt !== null || own.isProven === true;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-mute text-xs">
        {connected
          ? "You have connected your account. A replay runs with it."
          : `This call did not run: ${server} needs the caller's own credential. Connect your account, then replay the call.`}
      </p>
      <div className="flex flex-wrap gap-2">
        {connected && <ReplayButton executionId={executionId} label="Replay this call" />}
        <ButtonLink href={toServerPath(server)} variant={connected ? "secondary" : "primary"}>
          {connected ? "Open server" : "Connect your account"}
        </ButtonLink>
      </div>
    </div>
  );
}

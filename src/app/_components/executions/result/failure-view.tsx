import type { ReactNode } from "react";
import { ERROR_KIND_LABELS } from "@/app/_components/executions/summary/execution-labels";
import { Link } from "@/app/_ui/link";
import type { Fault } from "@/lib/contract/envelope";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { describeLimit, type RequiredParameter, requiredParameters } from "./failure-facts";
import { SignInOffer } from "./sign-in-offer";

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
        <Link href="/settings" className="text-accent underline">
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

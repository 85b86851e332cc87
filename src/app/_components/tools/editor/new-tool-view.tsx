"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";
import { EmptyState } from "@/app/_ui/empty-state";
import { formatJson } from "../../../../lib/json/format-json";
import { duplicateText, mockOfCall, mockOfText, type RecordedCall, templateDefinition } from "./templates";
import { ToolEditor } from "./tool-editor";

export function NewToolView() {
  const { data: handlers } = useSuspenseQuery(trpc.tools.handlers.queryOptions());
  return (
    <ToolEditor
      keptAs="tool.new"
      initialText={templateDefinition("mock", handlers)}
      handlers={handlers}
      editing={null}
    />
  );
}

export function DuplicateToolView({ name }: { name: string }) {
  const { data: handlers } = useSuspenseQuery(trpc.tools.handlers.queryOptions());
  const { data: tool } = useSuspenseQuery(trpc.tools.get.queryOptions({ name }));
  const text = formatJson(tool.definition);
  return (
    <ToolEditor
      keptAs={`tool.copy.${name}`}
      base={tool.definitionHash}
      initialText={duplicateText(text, tool.name)}
      handlers={handlers}
      editing={null}
    />
  );
}

interface MockOfToolViewProps {
  name: string;
  /** The execution whose answer the mock gives; null where there is none. */
  executionId: string | null;
}

export function MockOfToolView({ name, executionId }: MockOfToolViewProps) {
  return executionId === null ? (
    <MockEditor name={name} executionId={null} call={null} />
  ) : (
    <MockOfAnswer {...{ name, executionId }} />
  );
}

function MockOfAnswer({ name, executionId }: { name: string; executionId: string }) {
  const { data: execution } = useSuspenseQuery(trpc.executions.get.queryOptions({ id: executionId }));
  const { argumentsText, error, resultTruncated } = execution;
  const call = { argumentsText, error, resultText: resultTruncated ? null : execution.resultText };
  return <MockEditor {...{ name, executionId, call }} />;
}

function MockEditor({ name, executionId, call }: MockOfToolViewProps & { call: RecordedCall | null }) {
  const { data: handlers } = useSuspenseQuery(trpc.tools.handlers.queryOptions());
  const { data: tool } = useSuspenseQuery(trpc.tools.get.queryOptions({ name }));
  return (
    <ToolEditor
      keptAs={`tool.mock.${name}.${executionId ?? ""}`}
      base={tool.definitionHash}
      initialText={call === null ? mockOfText(tool.definition, null) : mockOfCall(tool.definition, call)}
      handlers={handlers}
      editing={null}
    />
  );
}

export function EditToolView({ name }: { name: string }) {
  const { data: handlers } = useSuspenseQuery(trpc.tools.handlers.queryOptions());
  const { data: tool } = useSuspenseQuery(trpc.tools.get.queryOptions({ name }));
  if (!tool.editable) {
    return (
      <EmptyState
        heading="h2"
        title={`${tool.name} is read-only here`}
        next={{
          href: `/tools/new?from=${encodeURIComponent(tool.name)}`,
          text: tool.server === null ? "Duplicate" : "Create a mock",
          needs: "edit",
        }}
      >
        {tool.server === null
          ? `It is defined in ${tool.originPath ?? "code"}. Change it there and restart, or create a copy that you can edit here.`
          : `The server ${tool.server} provides it. Change it on the server, or create a mock that you can edit here.`}
      </EmptyState>
    );
  }
  return (
    <ToolEditor
      keptAs={`tool.edit.${tool.name}`}
      base={String(tool.lastEdit?.revision ?? "")}
      lastEdit={tool.lastEdit}
      initialText={formatJson(tool.definition)}
      handlers={handlers}
      editing={tool.name}
    />
  );
}

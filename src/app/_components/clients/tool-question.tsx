"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useId, useState } from "react";
import { QueryState } from "@/app/_kit/query-state";
import { useTRPC } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Input } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import type { ClientDetail, ToolAnswer } from "@/lib/contract/client";
import { describeVerdict } from "./client-words";

/** Answers why a client does not see a tool; the question is in the address. */
export function ToolQuestion({ client: { id, name } }: { client: ClientDetail }) {
  const trpc = useTRPC();
  const fieldId = useId();
  const [tool, setTool] = useQueryState("tool", parseAsString.withDefault(""));
  const [typed, setTyped] = useState(tool);
  const ask = (asked: string): void => {
    setTyped(asked);
    void setTool(asked.trim() === "" ? null : asked.trim());
  };
  const query = useQuery({ ...trpc.clients.explain.queryOptions({ id, tool }), enabled: tool !== "" });
  return (
    <Card title={`Why does ${name} not see a tool?`} label="Why a tool is missing">
      <form
        className="flex flex-wrap items-center gap-2 px-3.5 py-3"
        onSubmit={(event) => {
          event.preventDefault();
          ask(typed);
        }}
      >
        <label htmlFor={fieldId} className="text-mute">
          Tool
        </label>
        <Input
          id={fieldId}
          value={typed}
          maxLength={300}
          placeholder="files__read_file"
          className="min-w-40 flex-1 font-mono sm:max-w-96"
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit" size="md" variant="primary" disabled={typed.trim() === ""}>
          Explain
        </Button>
      </form>
      {tool !== "" && (
        <div className="border-line border-t px-3.5 py-3">
          <QueryState query={query} what="the answer" bars={["h-10"]}>
            {(answer) => <Answer answer={answer} onAsk={ask} />}
          </QueryState>
        </div>
      )}
    </Card>
  );
}

function Answer({ answer, onAsk }: { answer: ToolAnswer; onAsk: (tool: string) => void }) {
  const [label, tone] = describeVerdict(answer.verdict);
  return (
    <div role="status" className="flex flex-col gap-1.5 [overflow-wrap:anywhere]">
      <p className="flex flex-wrap items-center gap-2">
        <code className="font-medium font-mono text-xs">{answer.tool}</code>
        <Badge tone={tone}>{label}</Badge>
      </p>
      <p>{answer.answer}</p>
      {answer.wayOut !== "" && (
        <p className="text-mute">
          {answer.wayOut}{" "}
          {answer.link !== null && (
            <Link href={answer.link} className="text-accent hover:underline">
              Open {answer.link}
            </Link>
          )}
        </p>
      )}
      {answer.nearest.length > 0 && (
        <ul aria-label="Similar names" className="flex flex-wrap gap-1.5">
          {answer.nearest.map((name) => (
            <li key={name}>
              <Button onClick={() => onAsk(name)}>
                <span className="font-mono text-xs">{name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

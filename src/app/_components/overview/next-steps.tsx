"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_trpc/client";
import { buttonClass } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { GATEWAY_INPUT, RUNS_INPUT } from "./overview-queries";

/** After the first steps: a model in the Playground and a client on the gateway, until each was tried. */
export function NextSteps() {
  const trpc = useTRPC();
  const runs = useQuery(trpc.runs.list.queryOptions(RUNS_INPUT));
  const gateway = useQuery(trpc.executions.list.queryOptions(GATEWAY_INPUT));
  const steps = [
    {
      title: "Let a model use your tools",
      text: "Start a conversation in the Playground: the model calls tools, and you approve what needs approval.",
      link: { href: "/playground", label: "Open the Playground" },
      done: runs.data === undefined || runs.data.items.length > 0,
    },
    {
      title: "Connect a client",
      text: "The gateway serves every tool to MCP clients such as Claude Code, Cursor and VS Code, and records their calls.",
      link: { href: "/servers?connect=1", label: "Connect a client" },
      done: gateway.data === undefined || gateway.data.items.length > 0,
    },
  ].filter(({ done }) => !done);
  if (steps.length === 0) return null;
  return (
    <section aria-label="Next steps" className="rounded-lg border border-line bg-panel p-4">
      <h2 className="font-medium text-base">Next steps</h2>
      <ul className="mt-3 grid gap-3 md:grid-cols-2">
        {steps.map(({ title, text, link }) => (
          <li key={link.href} className="flex flex-col gap-1.5 rounded-lg border border-line p-3">
            <h3 className="font-medium">{title}</h3>
            <p className="text-mute">{text}</p>
            <Link href={link.href} className={`mt-auto self-start ${buttonClass()}`}>
              {link.label}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

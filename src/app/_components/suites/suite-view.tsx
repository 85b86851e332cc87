"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { trpc } from "@/app/_trpc/client";
import { EvalSuiteView } from "./eval-suite/eval-suite-view";
import { TestSuiteView } from "./test-suite/test-suite-view";

/** A suite of tests or of evals. */
export function SuiteView({ name }: { name: string }) {
  const { data: suite } = useSuspenseQuery(trpc.suites.get.queryOptions({ name }));
  return suite.kind === "evals" ? <EvalSuiteView suite={suite} /> : <TestSuiteView suite={suite} />;
}

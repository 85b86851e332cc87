"use client";

import { ChecksSection } from "@/app/_components/models/checks/checks-section";
import { useLiveModels } from "@/app/_components/models/summary/use-live-models";
import { ProvidersSection } from "./providers-section";

/** Lists the models that answer for the agent, and how well each calls tools. */
export function ModelsView() {
  useLiveModels();
  return (
    <div className="flex max-w-5xl flex-col gap-4 p-4">
      <ProvidersSection />
      <ChecksSection />
    </div>
  );
}

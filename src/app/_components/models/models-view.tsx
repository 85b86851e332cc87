"use client";

import { ChecksSection } from "./checks/checks-section";
import { ProvidersSection } from "./providers-section";
import { useLiveModels } from "./use-live-models";

/** Who answers for the agent, and how well a model calls tools. */
export function ModelsView() {
  useLiveModels();
  return (
    <div className="flex max-w-5xl flex-col gap-4 p-4">
      <ProvidersSection />
      <ChecksSection />
    </div>
  );
}

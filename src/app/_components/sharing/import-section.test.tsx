// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ImportPreview } from "@/lib/contract/catalog-file";
import { ImportSection } from "./import-section";

const NOTHING: ImportPreview = { format: "catalogue", digest: "d", entries: [], problems: [], notes: [] };

/** Shows the import while the server compares 2,000 entries; returns what ends the comparison. */
function renderComparison() {
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const api = fakeApi({
    "sharing.preview": async function* () {
      yield { progress: { done: 1200, total: 2000 } };
      await finished;
      yield { result: NOTHING };
    },
  });
  api.render(<ImportSection />);
  fireEvent.change(screen.getByLabelText("Catalog file, mcp.json or bundle"), { target: { value: '{"toolroom":1}' } });
  return { finish };
}

describe("the preview of an import", () => {
  it("counts the entries that were compared, until they all are", async () => {
    const { finish } = renderComparison();
    const bar = await screen.findByRole("progressbar");
    expect([bar.getAttribute("value"), bar.getAttribute("max")]).toEqual(["1200", "2000"]);
    expect(screen.getByText("1,200 / 2,000")).toBeDefined();
    finish();
    await screen.findByText("The file has no tools, servers, toolsets, rules or cases.");
    expect(screen.queryByRole("progressbar")).toBeNull();
  });

  it("is left for another file while it is compared, and shows nothing of the first", async () => {
    const { finish } = renderComparison();
    await screen.findByRole("progressbar");
    fireEvent.click(screen.getByRole("button", { name: "Import another file" }));
    finish();
    await waitFor(() => expect(screen.queryByRole("progressbar")).toBeNull());
    expect(screen.getByLabelText("Catalog file, mcp.json or bundle")).toBeDefined();
    expect(screen.queryByText("The file has no tools, servers, toolsets, rules or cases.")).toBeNull();
  });
});

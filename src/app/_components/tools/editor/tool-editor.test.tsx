// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { toolDetail } from "@/app/_components/tools/summary/tool.test-support";
import { type FakeApi, type FakeProcedures, fakeApi } from "@/app/_kit/fake-api.test-support";
import { EditToolView, NewToolView } from "./new-tool-view";

function editorApi(procedures: FakeProcedures = {}, search = ""): FakeApi {
  return fakeApi(
    {
      "tools.handlers": () => ({ builtin: ["echo", "math_eval"], internal: ["search"] }),
      "tools.checkDefinition": () => ({ problems: [], quality: [] }),
      "tools.get": () => toolDetail({ editable: true }),
      "tools.update": () => toolDetail({ editable: true }),
      ...procedures,
    },
    search,
  );
}

const field = (label: RegExp) => screen.findByLabelText<HTMLInputElement>(label);
const type = async (label: RegExp, value: string) => fireEvent.change(await field(label), { target: { value } });

describe("a tool editor that is left", () => {
  it("restores a new tool on the next visit and says so", async () => {
    editorApi().render(<NewToolView />);
    await type(/^Name/, "draft_tool");
    cleanup();
    editorApi().render(<NewToolView />);
    await screen.findByText("Restored your unsaved draft.");
    expect((await field(/^Name/)).value).toBe("draft_tool");
  });

  it("keeps the changes of one tool apart from another's, and says when the tool has changed since", async () => {
    editorApi().render(<EditToolView name="get_weather" />);
    await type(/^Description/, "Mine");
    cleanup();
    editorApi({ "tools.get": () => toolDetail({ name: "other", editable: true }) }).render(
      <EditToolView name="other" />,
    );
    expect((await field(/^Description/)).value).not.toBe("Mine");
    cleanup();
    const api = editorApi({ "tools.get": () => toolDetail({ editable: true, definitionHash: "another" }) });
    api.render(<EditToolView name="get_weather" />);
    await screen.findByText(/The tool has changed since you began: saving overwrites that change\./);
    expect((await field(/^Description/)).value).toBe("Mine");
    fireEvent.submit(screen.getByRole("form"));
    await waitFor(() => expect(api.visited).toEqual(["/tools/get_weather"]));
    expect(sessionStorage.length).toBe(0);
  });
});

import { expect, it } from "vitest";
import { getUiResource, isVisibleTo } from "./tool-app";

it("reads the App of a tool in both forms", () => {
  expect(getUiResource({ _meta: { ui: { resourceUri: "ui://a" }, "ui/resourceUri": "ui://b" } })).toBe("ui://a");
  expect(getUiResource({ _meta: { ui: { visibility: ["app"] }, "ui/resourceUri": "ui://b" } })).toBe("ui://b");
  for (const _meta of [undefined, null, "ui://a", {}, { ui: 7 }, { ui: { resourceUri: 7 } }]) {
    expect(getUiResource({ _meta })).toBeNull();
  }
});

it("shows a tool to models and Apps unless its server says otherwise", () => {
  const audiences = (visibility: unknown) => {
    const tool = { _meta: { ui: { visibility } } };
    return [isVisibleTo(tool, "model"), isVisibleTo(tool, "app")];
  };
  expect(audiences(undefined)).toEqual([true, true]);
  expect(audiences("app")).toEqual([true, true]);
  expect(audiences(["app"])).toEqual([false, true]);
  expect(audiences(["model"])).toEqual([true, false]);
  expect(audiences([])).toEqual([false, false]);
});

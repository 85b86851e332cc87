// @vitest-environment happy-dom
import { fireEvent, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { CONCEALED, NOT_KEPT, replaceMarked } from "@/lib/schema/sensitive/replace-marked";
import { press, sent, show, type } from "./editor.test-support";

const PASSWORD = { password: { type: "string", format: "password" } };

it("a field that is stored masked is a password field, which can be revealed", () => {
  show(PASSWORD, { password: "planted" });
  expect(screen.getByLabelText("password")).toHaveProperty("type", "password");
  press("Show password");
  expect(screen.getByLabelText("password")).toHaveProperty("type", "text");
  press("Hide password");
  type("password", "other");
  expect(sent()).toEqual({ password: "other" });
});

it("a mask of an earlier call is not shown as the value, and the value is asked for again", () => {
  show(PASSWORD, { password: "[masked:9f2c41d0a7e3]" });
  const field = screen.getByLabelText("password");
  expect(field).toHaveProperty("value", "");
  expect(field).toHaveProperty("placeholder", "Masked: enter it again");
});

it("a pasted key keeps its line breaks and stays concealed", () => {
  show(PASSWORD, { password: "" });
  const clipboardData = { getData: () => "-----BEGIN KEY-----\nplanted\n-----END KEY-----" };
  fireEvent.paste(screen.getByLabelText("password"), { clipboardData });
  expect(sent()).toEqual({ password: "-----BEGIN KEY-----\nplanted\n-----END KEY-----" });
  expect(screen.getByLabelText("password").className).toContain("text-security:disc");
});

it("a draft and a preview have no value that the tool marks, and all else as typed", () => {
  const parameters = { type: "object", properties: PASSWORD };
  const implementation = { type: "builtin", handler: "login" } as const;
  const definition = { name: "login", description: "", type: "function", handler: "login" } as const;
  const tool = { ...definition, parameters, implementation, sensitive: { arguments: ["/pins/*"] } };
  const text = '{ "user":"ann", "password" : "planted", "pins":[1234, 5678]}';
  expect(replaceMarked(text, tool, CONCEALED)).toBe(
    `{ "user":"ann", "password" : "${CONCEALED}", "pins":["${CONCEALED}", "${CONCEALED}"]}`,
  );
  expect(replaceMarked(text, tool, NOT_KEPT)).not.toMatch(/planted|1234/);
  expect(replaceMarked('{"password":"pla', tool, NOT_KEPT)).toBeNull();
});

import { InsufficientScopeError, IssuerMismatchError, RegistrationRejectedError } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { getMessage, readErrorTrail } from "./describe-error";

/** As the build leaves it: the SDK takes the name from the class, which is shortened. */
const asBuilt = <Kind extends Error>(error: Kind): Kind => Object.assign(error, { name: "e" });

it("errors of the SDK are recognized with the names of classes that the build shortens", () => {
  const error = asBuilt(new InsufficientScopeError({ requiredScope: "write" } as never));
  expect(readErrorTrail(new Error("outer", { cause: error })).missingScope).toBe("write");
  expect(readErrorTrail(asBuilt(new Error("other"))).missingScope).toBeNull();
  const mismatch = asBuilt(new IssuerMismatchError("metadata", "https://a.example", "https://b.example"));
  expect(getMessage(mismatch)).toContain("calls itself 'https://b.example'");
  const submittedMetadata = { redirect_uris: ["http://127.0.0.1/oauth/callback"] };
  const rejected = asBuilt(new RegistrationRejectedError({ status: 403, body: "", submittedMetadata } as never));
  expect(getMessage(rejected)).toContain("redirect address http://127.0.0.1/oauth/callback");
});

// @vitest-environment happy-dom
import { act } from "@testing-library/react";
import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime";
import { afterEach, describe, expect, it, vi } from "vitest";
import { asPrincipal, OLIVIA, VICTOR } from "@/app/_components/accounts/summary/people.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { setSigningOut } from "@/app/_trpc/query-client";
import { AccessProvider } from "@/app/_ui/access";
import { LOCAL_PRINCIPAL } from "@/lib/contract/access";
import type { LiveEvent } from "@/lib/contract/live-event";
import { FollowAccess } from "./frame";

function open(principal = asPrincipal(OLIVIA)) {
  const api = fakeApi({});
  const refresh = vi.fn();
  api.render(
    <AppRouterContext value={{ refresh } as never}>
      <AccessProvider principal={principal}>
        <FollowAccess />
      </AccessProvider>
    </AppRouterContext>,
  );
  const emit = (event: LiveEvent) => act(async () => api.emit(event));
  return { emit, refreshed: () => refresh.mock.calls.length };
}

afterEach(() => {
  vi.restoreAllMocks();
  window.history.replaceState(null, "", "/");
});

describe("an open page", () => {
  it("reads the rights of its user again when they change, or when that may have been missed", async () => {
    const { emit, refreshed } = open();
    await emit({ type: "account", personId: VICTOR.id });
    expect(refreshed()).toBe(0);
    const changes: LiveEvent[] = [
      { type: "account", personId: OLIVIA.id },
      { type: "account", personId: null },
      { type: "reset" },
    ];
    for (const [at, change] of changes.entries()) {
      await emit(change);
      expect(refreshed()).toBe(at + 1);
    }
  });

  it("is not rendered again for events that are missed while accounts are off", async () => {
    const { emit, refreshed } = open(LOCAL_PRINCIPAL);
    await emit({ type: "reset" });
    expect(refreshed()).toBe(0);
  });

  it("opens the sign-in page, which leads back, when its session ends", async () => {
    window.history.replaceState(null, "", "/tools?q=echo");
    const opened = vi.spyOn(window.location, "assign").mockImplementation(() => undefined);
    const { emit } = open();
    await emit({ type: "signed_out" });
    expect(opened.mock.calls).toEqual([["/sign-in?to=%2Ftools%3Fq%3Decho"]]);
  });

  it("leaves the way out to a sign-out of its own, also when the stream ends before the answer", async () => {
    const opened = vi.spyOn(window.location, "assign").mockImplementation(() => undefined);
    const { emit } = open();
    setSigningOut(true);
    await emit({ type: "signed_out" });
    expect(opened).not.toHaveBeenCalled();
    setSigningOut(false);
    await emit({ type: "signed_out" });
    expect(opened).toHaveBeenCalled();
  });
});

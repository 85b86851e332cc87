import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { configure, type RenderResult, render } from "@testing-library/react";
import { getUntypedClient, TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime";
import { NuqsTestingAdapter, type OnUrlUpdateFunction } from "nuqs/adapters/testing";
import type { ReactNode } from "react";
import { LiveProvider } from "@/app/_live/live-provider";
import type { LiveSource, LiveState } from "@/app/_live/live-source";
import { client } from "@/app/_trpc/client";
import { makeQueryClient } from "@/app/_trpc/query-client";
import { AccessProvider } from "@/app/_ui/access";
import { ToastProvider, useToast } from "@/app/_ui/toast";
import { LOCAL_PRINCIPAL, type Role } from "@/lib/contract/access";
import type { LiveEvent } from "@/lib/contract/live-event";
import { describeProblem, type Problem } from "@/lib/contract/problem";
import type { AppRouter } from "@/server/main/api/root";

// The first rendering of a file includes loading its modules; a busy machine takes its time.
configure({ asyncUtilTimeout: 10_000 });

/** The response of each procedure; a procedure without one is refused. */
export type FakeProcedures = Record<string, (input: never) => unknown>;

export interface FakeApi {
  /** Every call so far, in order. */
  calls: { path: string; input: unknown }[];
  /** Where the router was sent. */
  visited: string[];
  /** The address' query after each change of it. */
  searches: string[];
  /** Whether each of them was added to the browser's history. */
  histories: ("push" | "replace")[];
  emit(event: LiveEvent): void;
  render(element: ReactNode): RenderResult;
}

/** Renders components inside the product's providers, with the server replaced by functions. */
export function fakeApi(
  procedures: FakeProcedures,
  search = "",
  liveState: LiveState = "live",
  role: Role = "admin",
): FakeApi {
  const calls: FakeApi["calls"] = [];
  const visited: string[] = [];
  const searches: string[] = [];
  const histories: FakeApi["histories"] = [];
  const listeners = new Set<(event: LiveEvent) => void>();

  const link: TRPCLink<AppRouter> =
    () =>
    ({ op }) =>
      observable((observer) => {
        calls.push({ path: op.path, input: op.input });
        const answer = async (): Promise<unknown> => {
          const procedure = Object.hasOwn(procedures, op.path) ? procedures[op.path] : undefined;
          if (!procedure) throw new Error(`no such procedure: ${op.path}`);
          return procedure(op.input as never);
        };
        answer().then(
          (data) => {
            observer.next({ result: { type: "data", data } });
            observer.complete();
          },
          (error: Error & { problems?: Problem[] }) => {
            const { message, problems = [] } = error;
            const data = { code: "BAD_REQUEST" as const, httpStatus: 400, problems };
            observer.error(new TRPCClientError(message, { result: { error: { code: -32600, message, data } } }));
          },
        );
        return () => undefined;
      });

  const live: LiveSource = {
    open({ onEvent, onState }) {
      listeners.add(onEvent);
      onState(liveState);
      return () => listeners.delete(onEvent);
    },
    reconnect: noop,
  };
  const queryClient = makeQueryClient();
  queryClient.setDefaultOptions({ queries: { ...queryClient.getDefaultOptions().queries, retry: false } });
  const visit = (href: string): void => {
    visited.push(href);
  };
  const onUrlUpdate: OnUrlUpdateFunction = (update) => {
    searches.push(update.queryString);
    histories.push(update.options.history);
  };

  return {
    calls,
    visited,
    searches,
    histories,
    emit: (event) => {
      for (const listener of listeners) listener(event);
    },
    render: (element) => {
      // The client has no public way to replace its links.
      Object.assign(getUntypedClient(client), { links: [link({})] });
      return render(
        <FakeProviders
          live={live}
          queryClient={queryClient}
          visit={visit}
          search={search}
          role={role}
          onUrlUpdate={onUrlUpdate}
        >
          {element}
        </FakeProviders>,
      );
    },
  };
}

interface FakeProvidersProps {
  live: LiveSource;
  queryClient: QueryClient;
  visit: (href: string) => void;
  search: string;
  role: Role;
  onUrlUpdate: OnUrlUpdateFunction;
  children: ReactNode;
}

const noop = (): void => undefined;

function FakeProviders({ live, queryClient, visit, search, role, onUrlUpdate, children }: FakeProvidersProps) {
  const router = { push: visit, replace: visit, back: noop, forward: noop, refresh: noop, prefetch: noop };
  return (
    <AppRouterContext value={router as never}>
      <NuqsTestingAdapter searchParams={search} onUrlUpdate={onUrlUpdate} hasMemory>
        <QueryClientProvider client={queryClient}>
          <ToastProvider>
            <FakeAccess role={role}>
              <LiveProvider source={live}>{children}</LiveProvider>
            </FakeAccess>
          </ToastProvider>
        </QueryClientProvider>
      </NuqsTestingAdapter>
    </AppRouterContext>
  );
}

function FakeAccess({ role, children }: { role: Role; children: ReactNode }) {
  const toast = useToast();
  return (
    <AccessProvider principal={{ ...LOCAL_PRINCIPAL, role }} reportDenial={(title) => toast({ title })}>
      {children}
    </AccessProvider>
  );
}

/** Returns the error with which a procedure refuses its input. */
export function refusal(...problems: Problem[]): Error {
  return Object.assign(new Error(problems.map((problem) => describeProblem(problem, ": ")).join("; ")), { problems });
}

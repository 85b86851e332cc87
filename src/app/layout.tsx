import type { Metadata, Viewport } from "next";
import { cookies, headers } from "next/headers";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import type { ReactNode } from "react";
import { LOCAL_OWNER } from "@/lib/contract";
import { Frame } from "./_components/frame/frame";
import { PREFERENCES_COOKIE, parsePreferences } from "./_components/frame/preferences";
import { StyleNonce } from "./_components/frame/style-nonce";
import { LiveProvider } from "./_components/live/live-provider";
import { TRPCProviders } from "./_trpc/client";
import { HydrateClient, prefetch, trpc } from "./_trpc/server";
import { ToastProvider } from "./_ui/toast";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Toolroom", template: "%s · Toolroom" },
  description: "The workshop and the logbook for the tools that language models call.",
};

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#ffffff" },
    { media: "(prefers-color-scheme: dark)", color: "#191918" },
  ],
};

/** Reads the request, so every page below is rendered per request: the content security policy's nonce needs it. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const [head, jar] = await Promise.all([headers(), cookies()]);
  const nonce = head.get("x-nonce");
  const preferences = parsePreferences(jar.get(PREFERENCES_COOKIE)?.value);
  prefetch(trpc.system.info.queryOptions());
  prefetch(trpc.approvals.count.queryOptions());
  return (
    <html
      lang="en"
      {...(preferences.theme === "system" ? {} : { "data-theme": preferences.theme })}
      suppressHydrationWarning
    >
      <head>{nonce !== null && <meta name="csp-nonce" content={nonce} />}</head>
      <body>
        {nonce !== null && <StyleNonce nonce={nonce} />}
        <TRPCProviders>
          <NuqsAdapter>
            <ToastProvider>
              <LiveProvider>
                <HydrateClient>
                  <Frame preferences={preferences} actorName={LOCAL_OWNER.name}>
                    {children}
                  </Frame>
                </HydrateClient>
              </LiveProvider>
            </ToastProvider>
          </NuqsAdapter>
        </TRPCProviders>
      </body>
    </html>
  );
}

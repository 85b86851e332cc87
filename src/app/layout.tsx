import { LucideProvider } from "lucide-react";
import type { Metadata, Viewport } from "next";
import localFont from "next/font/local";
import { cookies, headers } from "next/headers";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import type { ReactNode } from "react";
import { isMacBrowser, PREFERENCES_COOKIE, parsePreferences, toPaneStyle } from "@/app/_kit/preferences";
import { LiveProvider } from "@/app/_live/live-provider";
import { ExposureAlert } from "./_components/frame/exposure-alert";
import { Frame } from "./_components/frame/frame";
import { StyleNonce } from "./_components/frame/style-nonce";
import { TRPCProviders } from "./_trpc/client";
import { fetchActor, fetchExposure, fetchLivePosition, fetchOrNull, HydrateClient, trpc } from "./_trpc/server";
import { TimeZoneProvider } from "./_ui/time-zone";
import { parseTimeZone, TIME_ZONE_COOKIE } from "./_ui/time-zone-cookie";
import { ToastProvider } from "./_ui/toast";
import "./globals.css";
import { getBasePath, toAddress, toStorageName } from "@/lib/base-path";

// Every machine shows the same fonts: one variable font for text and one for code, Latin letters, 89 kB together.
const text = localFont({
  src: "../../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2",
  weight: "100 900",
  variable: "--font-text",
});
const code = localFont({
  src: "../../node_modules/@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2",
  weight: "100 800",
  variable: "--font-code",
  // Its letters are as wide as those of the monospaced fonts that stand in for it; Arial's are not.
  adjustFontFallback: false,
});

/** For the root element: the fonts that `--font-sans` and `--font-mono` name first. */
const FONT_CLASSES = `${text.variable} ${code.variable}`;

export const generateMetadata = (): Metadata => ({
  title: { default: "Toolroom", template: "%s · Toolroom" },
  description: "Register, run and share the tools that language models call, and keep every call.",
  icons: { icon: { url: toAddress("/icon.svg"), type: "image/svg+xml" } },
});

export const viewport: Viewport = {
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#ffffff" },
    { media: "(prefers-color-scheme: dark)", color: "#191918" },
  ],
};

/**
 * React reveals content that follows the frame of a page up to 300 ms after the first paint, which it notes in `$RT`. A
 * page's reads are awaited, so its content is in the same answer: a paint long ago makes React reveal it before the first.
 */
const REVEAL_AT_ONCE = "Object.defineProperty(window, '$RT', { get: () => -1e6, set() {} })";

/** Reads the request, so every page below is rendered per request: the content security policy's nonce needs it. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  // The page below reads after this, and its stream replays what has come since.
  const livePosition = await fetchLivePosition();
  const [head, jar, actor] = await Promise.all([headers(), cookies(), fetchActor()]);
  if (actor !== null) {
    await Promise.all([fetchOrNull(trpc.system.info.queryOptions()), fetchOrNull(trpc.approvals.count.queryOptions())]);
  }
  const exposure = await fetchExposure();
  const nonce = head.get("x-nonce");
  const basePath = getBasePath();
  const preferences = parsePreferences(jar.get(toStorageName(PREFERENCES_COOKIE))?.value);
  const paneStyle = toPaneStyle(preferences);
  return (
    <html
      lang="en"
      className={FONT_CLASSES}
      data-base-path={basePath === "" ? undefined : basePath}
      {...(preferences.theme === "system" ? {} : { "data-theme": preferences.theme })}
      suppressHydrationWarning
    >
      <head>
        {nonce !== null && <meta name="csp-nonce" content={nonce} />}
        {nonce !== null && <script nonce={nonce}>{REVEAL_AT_ONCE}</script>}
        {nonce !== null && paneStyle !== null && <style nonce={nonce}>{paneStyle}</style>}
      </head>
      <body>
        {nonce !== null && <StyleNonce nonce={nonce} />}
        <LucideProvider strokeWidth={1.6}>
          {actor === null || head.has("x-bare-page") ? (
            <main className="h-full overflow-y-auto">
              <ExposureAlert exposure={exposure} />
              {children}
            </main>
          ) : (
            <TRPCProviders>
              <NuqsAdapter>
                <ToastProvider>
                  <LiveProvider reader={actor.id} since={livePosition}>
                    <HydrateClient>
                      <TimeZoneProvider rendered={parseTimeZone(jar.get(toStorageName(TIME_ZONE_COOKIE))?.value)}>
                        <Frame
                          preferences={preferences}
                          mac={isMacBrowser(head.get("user-agent"))}
                          actor={actor}
                          exposure={exposure}
                        >
                          {children}
                        </Frame>
                      </TimeZoneProvider>
                    </HydrateClient>
                  </LiveProvider>
                </ToastProvider>
              </NuqsAdapter>
            </TRPCProviders>
          )}
        </LucideProvider>
      </body>
    </html>
  );
}

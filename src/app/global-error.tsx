"use client";

import { Button } from "./_ui/button";
import "./globals.css";
import { getBasePath } from "@/lib/base-path";

/** Stands in for the whole document when the frame itself fails, so it uses nothing that could fail with it. */
export default function GlobalError({ retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en" data-base-path={getBasePath() || undefined}>
      <body>
        <title>Error · Toolroom</title>
        <main role="alert" className="mx-auto flex max-w-md flex-col items-center gap-3 px-4 py-24 text-center">
          <h1 className="font-medium text-lg">Couldn't load Toolroom</h1>
          <p className="text-mute">
            The server may be stopping or starting. Recorded executions are safe on disk. What went wrong is in the
            server's log.
          </p>
          <Button variant="primary" size="md" onClick={retry}>
            Try again
          </Button>
        </main>
      </body>
    </html>
  );
}

/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  // The wasm engine reads its own files at run time; bundling it would lose them.
  serverExternalPackages: ["@prisma/schema-engine-wasm", "pino"],
  // Types are checked once, by `npm run check`.
  typescript: { ignoreBuildErrors: true },
  devIndicators: false,
};

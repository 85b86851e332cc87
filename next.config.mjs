/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  serverExternalPackages: ["pino"],
  // Types are checked once, by `npm run check`.
  typescript: { ignoreBuildErrors: true },
  devIndicators: false,
};

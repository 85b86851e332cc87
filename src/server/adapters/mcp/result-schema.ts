/** Lets every result through: what it holds is judged by who asked for it. The SDK takes any Standard Schema. */
export const ANY_RESULT = {
  "~standard": {
    version: 1 as const,
    vendor: "toolroom",
    validate: (value: unknown) => ({ value }),
  },
};

import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { OnlySignOn, SignInForm } from "@/app/_components/accounts/sign-in/sign-in-form";
import { fetchActor, fetchSignOn } from "@/app/_trpc/server";
import { readSignOnProblem } from "@/lib/contract/sign-on-problem";

export const metadata: Metadata = { title: "Sign in" };

export default async function SignInPage({ searchParams }: { searchParams: Promise<Record<string, unknown>> }) {
  if ((await fetchActor()) !== null) redirect("/");
  const { problem } = await searchParams;
  const { name, only } = await fetchSignOn();
  const signOnProblem = readSignOnProblem(problem);
  if (name !== null && only) return <OnlySignOn name={name} problem={signOnProblem} />;
  return <SignInForm signOnName={name} signOnProblem={signOnProblem} />;
}

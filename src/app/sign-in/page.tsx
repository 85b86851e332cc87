import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { SignInForm } from "@/app/_components/accounts/sign-in/sign-in-form";
import { fetchActor, fetchSignOnName } from "@/app/_trpc/server";
import { readSignOnProblem } from "@/lib/contract/sign-on-problem";

export const metadata: Metadata = { title: "Sign in" };

export default async function SignInPage({ searchParams }: { searchParams: Promise<Record<string, unknown>> }) {
  if ((await fetchActor()) !== null) redirect("/");
  const { problem } = await searchParams;
  return <SignInForm signOnName={await fetchSignOnName()} signOnProblem={readSignOnProblem(problem)} />;
}

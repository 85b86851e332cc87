import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { SignInForm } from "@/app/_components/accounts/sign-in/sign-in-form";
import { fetchActor } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Sign in" };

export default async function SignInPage() {
  if ((await fetchActor()) !== null) redirect("/");
  return <SignInForm />;
}

import type { Metadata } from "next";
import { JoinView } from "@/app/_components/accounts/sign-in/join-view";
import { fetchSignOn } from "@/app/_trpc/server";

export const metadata: Metadata = { title: "Join", referrer: "no-referrer" };

export default async function JoinPage() {
  return <JoinView signOnName={(await fetchSignOn()).name} />;
}

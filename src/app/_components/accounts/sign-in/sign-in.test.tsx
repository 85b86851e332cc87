// @vitest-environment happy-dom
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fakeAuthServer, refused } from "./auth-server.test-support";
import { OnlySignOn, SignInForm } from "./sign-in-form";

const ANA = { email: "ana@example.org", password: "correct horse battery" };

function fillAndSubmit({ email, password }: typeof ANA): void {
  fireEvent.change(screen.getByLabelText("E-mail"), { target: { value: email } });
  fireEvent.change(screen.getByLabelText("Password"), { target: { value: password } });
  fireEvent.submit(screen.getByRole("form", { name: "Sign in" }));
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  window.history.replaceState(null, "", "/");
});

describe("the sign-in page", () => {
  it("opens the page that was asked for, and stays signed in on request", async () => {
    window.history.replaceState(null, "", "/sign-in?to=%2Ftools%3Fq%3Decho");
    const { sent, opened } = fakeAuthServer(() => ({ status: 204 }));
    render(<SignInForm />);
    fireEvent.click(screen.getByLabelText("Stay signed in"));
    fillAndSubmit(ANA);
    await waitFor(() => expect(opened).toHaveBeenCalledWith("/tools?q=echo"));
    expect(sent).toEqual([{ url: "/api/auth/sign-in/email", body: { ...ANA, rememberMe: true } }]);
  });

  it("shows the provider's button alone where passwords are switched off", async () => {
    window.history.replaceState(null, "", "/sign-in?to=%2Ftools");
    const { sent } = fakeAuthServer(() => ({ status: 200, body: { url: "https://id.example.org/" } }));
    render(<OnlySignOn name="Example ID" problem="Your account at the provider gives you no role here." />);
    expect(screen.queryByLabelText("Password")).toBeNull();
    expect(screen.getByRole("alert").textContent).toContain("gives you no role");
    fireEvent.click(screen.getByRole("button", { name: "Sign in with Example ID" }));
    await waitFor(() => expect(sent).toEqual([{ url: "/api/auth/sign-in/sso", body: { to: "/tools" } }]));
  });

  it("opens the overview where the address names another site", async () => {
    window.history.replaceState(null, "", "/sign-in?to=%2F%2Fevil.example");
    const { opened } = fakeAuthServer(() => ({ status: 204 }));
    render(<SignInForm />);
    fillAndSubmit(ANA);
    await waitFor(() => expect(opened).toHaveBeenCalledWith("/"));
  });

  it("says that the password is wrong, keeps what was typed and moves the focus to the password", async () => {
    const { opened } = fakeAuthServer(() => refused(401, "The e-mail address or the password is wrong"));
    render(<SignInForm />);
    fillAndSubmit(ANA);
    await screen.findByText("The e-mail address or the password is wrong");
    expect(screen.getByLabelText("E-mail")).toHaveProperty("value", ANA.email);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Password")));
    expect(screen.getByRole("button", { name: "Sign in" })).toHaveProperty("disabled", false);
    expect(opened).not.toHaveBeenCalled();
  });

  it("says how long a throttled account has to wait", async () => {
    fakeAuthServer(() => refused(429, "Too many wrong passwords: try again in 15 s", [], { "retry-after": "15" }));
    render(<SignInForm />);
    fillAndSubmit(ANA);
    await screen.findByText("Too many wrong passwords: try again in 15 s");
    expect(screen.getByText(/^1[45] s left$/)).toBeTruthy();
  });

  it("sends nothing until both fields are filled, and says which are not", async () => {
    const { sent } = fakeAuthServer(() => ({ status: 204 }));
    render(<SignInForm />);
    fillAndSubmit({ email: "ana", password: "" });
    await screen.findByText("must be an e-mail address");
    expect(screen.getByText("is required")).toBeTruthy();
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("E-mail")));
    expect(sent).toEqual([]);
  });

  it("opens the identity provider with the page that was asked for", async () => {
    window.history.replaceState(null, "", "/sign-in?to=%2Ftools");
    const { sent, opened } = fakeAuthServer(() => ({ status: 200, body: { url: "https://id.example.org/authorize" } }));
    render(<SignInForm signOnName="Example ID" signOnProblem="Ask an admin." />);
    expect(screen.getByText("Ask an admin.")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Sign in with Example ID" }));
    await waitFor(() => expect(opened).toHaveBeenCalledWith("https://id.example.org/authorize"));
    expect(sent).toEqual([{ url: "/api/auth/sign-in/sso", body: { to: "/tools" } }]);
  });

  it("says why single sign-on cannot start, and offers none where there is none", async () => {
    fakeAuthServer(() => refused(503, "Example ID could not be reached"));
    const { rerender } = render(<SignInForm signOnName="Example ID" />);
    fireEvent.click(screen.getByRole("button", { name: "Sign in with Example ID" }));
    await screen.findByText("Example ID could not be reached");
    expect(screen.getByRole("button", { name: "Sign in with Example ID" })).toHaveProperty("disabled", false);
    rerender(<SignInForm />);
    expect(screen.queryByRole("button", { name: /^Sign in with/ })).toBeNull();
  });

  it("says so when the server cannot be reached", async () => {
    fakeAuthServer(() => {
      throw new TypeError("Failed to fetch");
    });
    render(<SignInForm />);
    fillAndSubmit(ANA);
    await screen.findByText(/could not be reached/);
  });
});

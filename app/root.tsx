import type {
  HeadersFunction,
  LinksFunction,
  LoaderFunctionArgs,
  MetaFunction,
  SerializeFrom,
} from "@remix-run/node";
import {
  isRouteErrorResponse,
  Links,
  LiveReload,
  Meta,
  Outlet,
  Scripts,
  useLoaderData,
  useRouteError,
  useRouteLoaderData,
} from "@remix-run/react";
import type { ReactNode } from "react";
import { AuthProvider } from "~/features/accounts/auth-context";
import { MembershipBanner } from "~/features/billing/membership-notice";
import { settingAttributes } from "~/features/library/reading-settings";
import { siteLinks } from "~/features/seo/site-links";
import { useSiteOrNull } from "~/features/site/page-site";
import stylesheet from "~/styles/app.css";
import { fontLinks } from "~/styles/fonts";
import { PublicUrlContext, Toaster } from "~/ui";
import { THEME_COLORS } from "~/ui/theme-colors";
import { pageTitle } from "./features/seo/page-title";
import { ConfirmEmailNotice } from "./shell/confirm-email-notice";
import { DestinationCard } from "./shell/destination-card";
import { describeError, ErrorPage } from "./shell/error-page";
import { FocusOnNavigation } from "./shell/focus-on-navigation";
import { Footer } from "./shell/footer";
import { Header } from "./shell/header";
import { NavigationProgress } from "./shell/navigation-progress";
import { useNonce } from "./shell/nonce";
import { NotFoundPage } from "./shell/not-found-page";
import { PremiumGate } from "./shell/premium-gate";
import { loadRoot } from "./shell/root-data.server";
import { ScrollPosition } from "./shell/scroll-position";
import { useHydratedMark } from "./shell/use-hydrated-mark";
import { useShownFrame } from "./shell/use-shown-frame";

export const links: LinksFunction = () => [...fontLinks, { rel: "stylesheet", href: stylesheet }];

export const meta: MetaFunction = ({ error, matches }) =>
  error
    ? [
        { title: pageTitle(matches, describeError(error).title) },
        { name: "robots", content: "noindex" },
      ]
    : [{ title: pageTitle(matches) }];

/**
 * Headers that Remix does not pass on by itself: a page that shows its viewer or a toast is private, and
 * error responses keep headers such as Allow and Retry-After.
 */
export const headers: HeadersFunction = ({ loaderHeaders, errorHeaders }) => {
  const headers = new Headers();
  for (const name of ["Cache-Control", "Allow", "Retry-After", "Connection"]) {
    const value = errorHeaders?.get(name) ?? loaderHeaders.get(name);
    if (value) headers.set(name, value);
  }
  return headers;
};

export async function loader(args: LoaderFunctionArgs) {
  return loadRoot(args);
}

/** The document around every page and around the error page, which has no loader data to rely on. */
export function Layout({ children }: { children: ReactNode }) {
  const nonce = useNonce();
  useHydratedMark();
  const reading = useRouteLoaderData<typeof loader>("root")?.reading;
  const theme = reading?.theme ?? "paper";
  const site = useSiteOrNull();
  const hasScripts = useShownFrame() !== "preview";
  return (
    <html lang="en" {...settingAttributes(reading ?? {})}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {theme === "device" && (
          <meta
            name="theme-color"
            content={THEME_COLORS.night}
            media="(prefers-color-scheme: dark)"
          />
        )}
        <meta name="theme-color" content={THEME_COLORS[theme === "device" ? "paper" : theme]} />
        <Meta />
        <Links />
        {site && siteLinks(site).map((link) => <link key={link.href} {...link} />)}
      </head>
      <body className="flex min-h-dvh flex-col">
        {children}
        {hasScripts && (
          <>
            <ScrollPosition nonce={nonce} />
            <Scripts nonce={nonce} />
            <LiveReload nonce={nonce} />
          </>
        )}
      </body>
    </html>
  );
}

export default function App() {
  const isDesk = useShownFrame() === "desk";
  return (
    <Providers root={useLoaderData<typeof loader>()}>
      {isDesk ? (
        <Outlet />
      ) : (
        <SiteFrame>
          <PremiumGate>
            <Outlet />
          </PremiumGate>
        </SiteFrame>
      )}
    </Providers>
  );
}

type ProvidersProps = { root: SerializeFrom<typeof loader>; children: ReactNode };

/** What every page needs of the root loader's data. */
function Providers({
  root: { viewer, isViewerKnown, toast, publicUrl },
  children,
}: ProvidersProps) {
  return (
    <Toaster flash={toast}>
      <PublicUrlContext.Provider value={publicUrl}>
        <AuthProvider viewer={viewer} isViewerKnown={isViewerKnown}>
          <FocusOnNavigation />
          <NavigationProgress />
          <a href="#main" className="skip-link">
            Skip to content
          </a>
          {children}
        </AuthProvider>
      </PublicUrlContext.Provider>
    </Toaster>
  );
}

function SiteFrame({ children }: { children: ReactNode }) {
  return (
    <>
      <Header />
      <MembershipBanner />
      <ConfirmEmailNotice />
      <DestinationCard />
      <main id="main" tabIndex={-1} className="grow">
        {children}
      </main>
      <Footer />
    </>
  );
}

/** An unknown address keeps the site's frame, whichever route it would have belonged to. */
export function ErrorBoundary() {
  const error = useRouteError();
  const root = useRouteLoaderData<typeof loader>("root");
  const site = useSiteOrNull();
  if (root && isRouteErrorResponse(error) && error.status === 404) {
    return (
      <Providers root={root}>
        <SiteFrame>
          <NotFoundPage />
        </SiteFrame>
      </Providers>
    );
  }
  return <ErrorPage error={error} site={site} />;
}

/** The plan, its usage, and links to the payment provider's pages. */
import { useEffect, useState } from 'preact/hooks';
import { billing, checkout, Failure, portal } from '../api.ts';
import { messageOnce } from '../checkout-return.ts';
import type { Billing as Usage, Plan } from '../contract.ts';
import { FailureNote } from '../parts/frame/failure.tsx';
import { Facts } from '../parts/values/facts.tsx';
import { Meter } from '../parts/account/meter.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Panel } from '../parts/frame/panel.tsx';
import { WhenLoaded } from '../parts/frame/when-loaded.tsx';
import { PLAN_NAMES, PLANS, titled } from '../plans.ts';
import { asFailure, useLoaded } from '../use-loaded.ts';
import { compact, grouped } from '../../terms/wording.ts';
import { date } from '../times.ts';

export function Billing() {
  const [returned] = useState(messageOnce);
  const [loaded, again] = useLoaded(billing, []);
  return (
    <Page title="Billing">
      {returned && (
        <p class="note" role="status">
          {returned}
        </p>
      )}
      <WhenLoaded what="plan and usage" loaded={loaded} again={again} rows={6}>
        {usage => <Plans usage={usage} again={again} />}
      </WhenLoaded>
    </Page>
  );
}

function Plans({ usage, again }: { usage: Usage; again: () => void }) {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [going, setGoing] = useState<string | null>(null);
  useReturn(() => {
    setGoing(null);
    again();
  });
  /** Goes to a page of the payment provider, which links back. */
  const leave = async (what: string, open: () => Promise<{ url: string }>) => {
    setGoing(what);
    setFailure(null);
    try {
      location.assign(providerAddress((await open()).url));
    } catch (error) {
      setFailure(asFailure(error));
      setGoing(null);
    }
  };
  const { plan, rowsProcessed, requestCount, periodStart, periodEnd, plansForSale: sells } = usage;
  const isPaid = sells && plan !== 'developer';
  return (
    <>
      <Panel
        title={`Plan ${titled(plan)}`}
        aside={
          isPaid && (
            <button type="button" disabled={going !== null} onClick={() => leave('portal', portal)}>
              {going === 'portal' ? 'Opening…' : 'Manage subscription'}
            </button>
          )
        }
      >
        <Meter used={rowsProcessed} of={PLANS[plan].rowsPerPeriod} what="rows in this period" />
        <Facts
          facts={[
            ['Requests', grouped(requestCount)],
            ['Period', `${date(periodStart)} to ${date(periodEnd)}`],
            ['Rows left', grouped(Math.max(0, PLANS[plan].rowsPerPeriod - rowsProcessed))],
          ]}
        />
      </Panel>
      {failure && <FailureNote failure={failure} />}
      {!sells && <p class="faint">The operator of this service decides which plan you have.</p>}
      <ul class="plans">
        {(sells ? PLAN_NAMES : []).map(name => (
          <PlanCard
            key={name}
            name={name}
            plan={plan}
            going={going}
            upgrade={() => leave(name, () => subscriptionPage(name))}
          />
        ))}
      </ul>
    </>
  );
}

/** Back may show this page as it was left, with its buttons disabled. */
function useReturn(act: () => void): void {
  useEffect(() => {
    const shown = ({ persisted }: PageTransitionEvent) => persisted && act();
    addEventListener('pageshow', shown);
    return () => removeEventListener('pageshow', shown);
  }, []);
}

interface CardProps {
  name: Plan;
  /** The account's plan. */
  plan: Plan;
  /** The page that is being opened, if any. */
  going: string | null;
  upgrade: () => void;
}

const PlanCard = ({ name, plan, going, upgrade }: CardProps) => (
  <li class={name === plan ? 'plan current' : 'plan'}>
    <h2>{titled(name)}</h2>
    <p class="plan-rows">
      <b>{compact(PLANS[name].rowsPerPeriod)}</b> rows a month
    </p>
    <p class="faint">{grouped(PLANS[name].requestsPerSecond)} requests a second</p>
    {name === plan && <p class="plan-state">Your plan</p>}
    {isAbove(name, plan) && (
      <button type="button" class="primary" disabled={going !== null} onClick={upgrade}>
        {going === name ? 'Opening…' : `Upgrade to ${titled(name)}`}
      </button>
    )}
  </li>
);

/** The portal if there is a subscription to change, else the checkout. A paid plan that the operator gave has no subscription. */
async function subscriptionPage(plan: Plan): Promise<{ url: string }> {
  try {
    return await checkout(plan);
  } catch (error) {
    if (error instanceof Failure && error.code === 'SUBSCRIPTION_EXISTS') return portal();
    throw error;
  }
}

const isAbove = (name: Plan, plan: Plan): boolean => PLAN_NAMES.indexOf(name) > PLAN_NAMES.indexOf(plan);

/** Throws unless the address is of the web: a `javascript:` address would run on this page. */
function providerAddress(url: string): string {
  const { protocol, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new Error('The address of the payment page is not http or https');
  return href;
}

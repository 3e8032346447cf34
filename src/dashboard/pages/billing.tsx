/** What is used and what it could be: plan, allowance, the payment provider's pages. */
import { useState } from 'preact/hooks';
import { billing, checkout, Failure, portal } from '../api.ts';
import type { Billing as Usage, Plan } from '../contract.ts';
import { FailureNote } from '../parts/failure.tsx';
import { Facts } from '../parts/facts.tsx';
import { Meter } from '../parts/meter.tsx';
import { Page } from '../parts/page.tsx';
import { Panel } from '../parts/panel.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { PLAN_NAMES, PLANS, titled } from '../plans.ts';
import { asFailure, useLoaded } from '../use-loaded.ts';
import { compact, grouped } from '../../wording.ts';
import { date } from '../times.ts';

/** `returned`: what to say to somebody who comes back from the payment provider. */
export function Billing({ returned }: { returned: string | null }) {
  const [loaded, again] = useLoaded(billing, []);
  return (
    <Page title="Billing">
      {returned && (
        <p class="note" role="status">
          {returned}
        </p>
      )}
      <Waiting what="plan and usage" loaded={loaded} again={again} rows={6}>
        {usage => <Plans usage={usage} />}
      </Waiting>
    </Page>
  );
}

function Plans({ usage }: { usage: Usage }) {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [going, setGoing] = useState<string | null>(null);
  /** To the provider, and back from there by its own links. */
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
  const { plan, rowsProcessed, requestCount, periodStart, periodEnd } = usage;
  const isPaid = plan !== 'developer';
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
      <ul class="plans">
        {PLAN_NAMES.map(name => (
          <li key={name} class={name === plan ? 'plan current' : 'plan'}>
            <h2>{titled(name)}</h2>
            <p class="plan-rows">
              <b>{compact(PLANS[name].rowsPerPeriod)}</b> rows a month
            </p>
            <p class="faint">{grouped(PLANS[name].requestsPerSecond)} requests a second</p>
            {name === plan && <p class="plan-state">Your plan</p>}
            {isAbove(name, plan) && (
              <button
                type="button"
                class="primary"
                disabled={going !== null}
                onClick={() => (isPaid ? leave(name, portal) : leave(name, () => wayTo(name)))}
              >
                {going === name ? 'Opening…' : `Upgrade to ${titled(name)}`}
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The service knows of a subscription before its plan counts: then the portal is the way. */
async function wayTo(plan: Plan): Promise<{ url: string }> {
  try {
    return await checkout(plan);
  } catch (error) {
    if (error instanceof Failure && error.code === 'SUBSCRIPTION_EXISTS') return portal();
    throw error;
  }
}

const isAbove = (name: Plan, plan: Plan): boolean => PLAN_NAMES.indexOf(name) > PLAN_NAMES.indexOf(plan);

/** Throws what is no address of the web, so that none is followed that would run here. */
function providerAddress(url: string): string {
  const { protocol, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new Error('The payment page has no address of the web');
  return href;
}

import type { Make, Variant } from '../stand/fault.ts';
import type { Handler } from '../stand/proxy.ts';

/** One server that is different in all these ways at once. What a merchant sees passes the first of them last. */
export function combined(variants: readonly Variant[]): Variant {
  return {
    id: variants.map(({ id }) => id).join(' + '),
    title: variants.map(({ title }) => title).join(' '),
    make: variants.map(({ make }) => make).reduce(around),
  };
}

function around(outer: Make, inner: Make): Make {
  const merchantApi = handlerAround(outer.merchantApi, inner.merchantApi);
  const control = handlerAround(outer.control, inner.control);
  const parts: Make['parts'] = (given) => {
    const changed = inner.parts?.(given) ?? given;
    return outer.parts?.(changed) ?? changed;
  };
  const webhooks = webhooksAround(outer.webhooks, inner.webhooks);
  return {
    ...inner,
    ...outer,
    ...((outer.parts || inner.parts) && { parts }),
    ...(merchantApi && { merchantApi }),
    ...(control && { control }),
    ...(webhooks && { webhooks }),
  };
}

function webhooksAround(outer: Make['webhooks'], inner: Make['webhooks']): Make['webhooks'] {
  if (!outer || !inner) return outer ?? inner;
  return () => {
    const [first, second] = [outer(), inner()];
    return (webhook, send) => first(webhook, (passed) => second(passed, send));
  };
}

function handlerAround(outer: Handler | undefined, inner: Handler | undefined): Handler | undefined {
  if (!outer || !inner) return outer ?? inner;
  return (request, server) => outer(request, { ...server, forward: (passed) => inner(passed, server) });
}

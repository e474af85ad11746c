/** Formats dollars: in cents, and marks amounts below half a cent that are not zero. */
export function moneyText(usd: number): string {
  if (usd > 0 && usd < 0.005) return '< $0.01';
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

/** A count for people: 1,296,000, or 0.13 where it is less than ten. */
export function countText(amount: number): string {
  return amount < 10 ? String(Math.round(amount * 1_000) / 1_000) : Math.round(amount).toLocaleString('en-US');
}

/** A price as it is written: $0.625 a million, or $0.0000133334. */
export function priceText({ usd, per }: { readonly usd: number; readonly per: number }): string {
  const amount = `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 12 })}`;
  if (per === 1) return amount;
  return per === 1_000_000 ? `${amount} a million` : `${amount} for ${per.toLocaleString('en-US')}`;
}

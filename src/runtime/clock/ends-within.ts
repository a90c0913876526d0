/**
 * Whether some work ends, well or not, within a time. Work that takes longer continues, and a later failure of it is no
 * unhandled rejection.
 *
 * @param milliseconds infinite where there is no limit
 */
export async function endsWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const hasEnded = (): true => true;
  const end = work.then(hasEnded, hasEnded);
  if (milliseconds === Infinity) return end;
  let timer: NodeJS.Timeout | undefined;
  const isLate = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([end, isLate]);
  } finally {
    clearTimeout(timer);
  }
}

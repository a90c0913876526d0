import { sampleOf } from './call-budget';

const projects = (count: number): string[] => Array.from({ length: count }, (_, place) => String(place));

describe('the projects that stand for all', () => {
  it.each([0, 1, 4, 5])('are all of %d', (count) => {
    expect(sampleOf(projects(count), 5)).toEqual(projects(count));
  });

  it.each([
    [6, ['0', '1', '3', '4', '5']],
    [12, ['1', '3', '6', '8', '10']],
    [100, ['10', '30', '50', '70', '90']],
  ])('are the same number of distinct projects of %d, spread evenly', (count, expected) => {
    expect(sampleOf(projects(count), 5)).toEqual(expected);
  });
});

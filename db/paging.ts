/** A part of a list; pages count from 1. */
export interface Paging {
  page: number;
  limit: number;
}

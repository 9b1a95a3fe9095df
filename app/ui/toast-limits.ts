/** How long a toast stays, in milliseconds (specification, 9). */
export const TOAST_DURATION = 5000;

/** How far right a toast must be swiped to close, in CSS pixels (specification, 9). */
export const TOAST_SWIPE_THRESHOLD = 50;

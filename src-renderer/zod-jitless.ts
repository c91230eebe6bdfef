import { z } from 'zod';

// The CSP forbids eval, which zod otherwise tries. This module is imported before any schema is made.
z.config({ jitless: true });
